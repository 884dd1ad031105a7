import type { Kind } from './kind.ts';
import { type Setting, type SettingGroup, kindOf } from './setting.ts';
import { SETTING_TABLE } from './setting-table.ts';

/** An environment variable of the program, and its group and key in `Settings`. */
export interface Variable {
  readonly group: string;
  readonly key: string;
  readonly setting: Setting;
  readonly kind: Kind<unknown>;
}

const GROUPS: readonly (readonly [string, SettingGroup])[] = Object.entries(SETTING_TABLE);

/** Every variable, in the order of the table. */
export const VARIABLES: readonly Variable[] = GROUPS.flatMap(([group, { settings }]) =>
  Object.entries(settings)
    .flatMap(([key, setting]) => [[key, setting] as const, ...fileOf(key, setting)])
    .map(([key, setting]) => ({ group, key, setting, kind: kindOf(setting) })),
);

/** Prefixes that only this program's variables use. */
export const OWN_PREFIXES: readonly string[] = GROUPS.flatMap(([, { ownPrefixes }]) => ownPrefixes);

/** Returns the variable that names a file, if the setting can be read from a file. */
function fileOf(key: string, { variable, orFile }: Setting): (readonly [string, Setting])[] {
  if (!orFile) return [];
  const doc = [
    `A file that holds the value of \`${variable}\`, which must then be empty.`,
    'The program reads the file again every two seconds, so the value can change without a restart.',
  ];
  return [[`${key}File`, { variable: `${variable}_FILE`, kind: 'file', default: null, unset: 'none', doc }]];
}
