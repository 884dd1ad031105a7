import { type Kind, whole } from './kind.ts';
import { KINDS, type KindValues } from './kinds.ts';

interface SettingBase {
  /** The environment variable that holds the setting. */
  readonly variable: string;
  /**
   * The default as an operator would write it. If it is null, there is no default, and a setting that is not set is
   * null.
   */
  readonly default: string | null;
  /** Describes what applies if the variable is not set. Present only if `default` alone does not say that. */
  readonly unset?: string;
  /**
   * Whether a second variable, `<variable>_FILE`, can name a file that contains the value. The file's name is in the
   * settings under `<key>File`.
   */
  readonly orFile?: true;
  /** Sentences for the operator, in Markdown. */
  readonly doc: readonly string[];
}

/** A whole number. */
interface WholeSetting extends SettingBase {
  readonly kind: 'whole';
  readonly unit: string;
  readonly min: number;
  readonly max: number;
}

interface OtherSetting extends SettingBase {
  readonly kind: Exclude<keyof KindValues, 'whole'>;
}

/** A row of the settings table. */
export type Setting = WholeSetting | OtherSetting;

/** Settings that belong together. */
export interface SettingGroup {
  readonly title: string;
  /**
   * Prefixes that only this program's variables use. A variable that has such a prefix but is not in the table is a
   * mistake.
   */
  readonly ownPrefixes: readonly string[];
  readonly settings: Readonly<Record<string, Setting>>;
}

/** Returns the kind of a setting's values. */
export function kindOf(setting: Setting): Kind<unknown> {
  return setting.kind === 'whole' ? whole(setting.min, setting.max) : KINDS[setting.kind];
}
