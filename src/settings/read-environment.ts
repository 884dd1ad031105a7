import { type Environment, conflictLines } from './conflict-lines.ts';
import { malformedLine } from './malformed-line.ts';
import type { Settings, VariableValues } from './settings.ts';
import { SettingsError } from './settings-error.ts';
import { unknownLines } from './unknown-lines.ts';
import { VARIABLES, type Variable } from './variables.ts';

/**
 * Reads the settings of the program from the environment. An empty variable counts as not set. Throws `SettingsError`
 * with one line for each variable that is unknown, malformed or in conflict with another one.
 */
export function readEnvironment(env: Environment = process.env): Settings {
  const problems = [...unknownLines(Object.keys(env))];
  const groups: Record<string, Record<string, unknown>> = {};
  for (const variable of VARIABLES) {
    const { group, key, setting, kind } = variable;
    const text = env[setting.variable] ?? '';
    const value = text === '' ? undefined : kind.read(text);
    if (text !== '' && value === undefined) problems.push(malformedLine(setting.variable, kind, text));
    (groups[group] ??= {})[key] = value ?? defaultOf(variable);
  }
  // The type is derived from the same table as the variables.
  const values = groups as VariableValues;
  problems.push(...conflictLines(env, values));
  if (problems.length > 0) throw new SettingsError(problems);
  return withDatabaseUrl(values);
}

function defaultOf({ setting, kind }: Variable): unknown {
  return setting.default === null ? null : kind.read(setting.default);
}

function withDatabaseUrl(values: VariableValues): Settings {
  const { storage } = values;
  const inDataDir = `sqlite:${storage.dataDir.replace(/\/+$/, '')}/masquerade.db`;
  return { ...values, storage: { ...storage, databaseUrl: storage.databaseUrl ?? inDataDir } };
}
