import type { VariableValues } from './settings.ts';
import { variableValues } from './variable-values.ts';
import type { Variable } from './variables.ts';

/** The default of every setting, by group and key. Matching options of `createMasquerade` have the same defaults. */
export const SETTING_DEFAULTS: VariableValues = variableValues(defaultOf);

/** Returns the default of a variable; null if it has none. */
export function defaultOf({ setting, kind }: Variable): unknown {
  return setting.default === null ? null : kind.read(setting.default);
}

/** Returns the database URL to use if none is set: a file in `dataDir`. */
export function defaultDatabaseUrl(dataDir: string): string {
  return `sqlite:${dataDir.replace(/\/+$/, '')}/masquerade.db`;
}
