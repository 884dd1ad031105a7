import { defaultDatabaseUrl, defaultOf } from './setting-defaults.ts';
import { variableValues } from './variable-values.ts';
import { type Environment, conflictLines } from './conflict-lines.ts';
import { malformedLine } from './malformed-line.ts';
import type { Settings, VariableValues } from './settings.ts';
import { SettingsError } from './settings-error.ts';
import { unknownLines } from './unknown-lines.ts';

/**
 * Reads the program's settings from the environment. An empty variable counts as not set. Throws `SettingsError` with
 * one line for each variable that is unknown, malformed or in conflict with another.
 */
export function readEnvironment(env: Environment = process.env): Settings {
  const problems = [...unknownLines(Object.keys(env))];
  const values = variableValues((variable) => {
    const { setting, kind } = variable;
    const text = env[setting.variable] ?? '';
    const value = text === '' ? undefined : kind.read(text);
    if (text !== '' && value === undefined) problems.push(malformedLine(setting.variable, kind, text));
    return value ?? defaultOf(variable);
  });
  problems.push(...conflictLines(env, values));
  if (problems.length > 0) throw new SettingsError(problems);
  return withDatabaseUrl(values);
}

function withDatabaseUrl(values: VariableValues): Settings {
  const { storage } = values;
  const databaseUrl = storage.databaseUrl ?? defaultDatabaseUrl(storage.dataDir);
  return { ...values, storage: { ...storage, databaseUrl } };
}
