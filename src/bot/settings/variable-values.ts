import type { VariableValues } from './settings.ts';
import { type Variable, VARIABLES } from './variables.ts';

/** Returns what `read` returns for each variable, by group and key. */
export function variableValues(read: (variable: Variable) => unknown): VariableValues {
  const groups: Record<string, Record<string, unknown>> = {};
  for (const variable of VARIABLES) (groups[variable.group] ??= {})[variable.key] = read(variable);
  // The type is derived from the same table as the variables.
  return groups as VariableValues;
}
