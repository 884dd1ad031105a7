import type { MicroUsd } from '../../../base/money.ts';
import type { CapView } from '../../money/caps/cap.ts';

/** A guild's spending. */
export interface GuildFigures {
  readonly guildId: string;
  readonly name: string | null;
  /** The amount spent in the current calendar month (UTC). */
  readonly spent: MicroUsd;
  readonly held: MicroUsd;
  readonly isPaused: boolean;
}

/** A guild and the caps on all of its spending, the allowance first. */
export interface GuildLine extends GuildFigures {
  readonly caps: readonly CapView[];
}
