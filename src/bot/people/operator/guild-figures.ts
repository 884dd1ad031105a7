import type { MicroUsd } from '../../../base/money.ts';
import type { CapView } from '../../money/caps/cap.ts';

/** The spending of a guild. */
export interface GuildFigures {
  readonly guildId: string;
  readonly name: string | null;
  /** The amount spent in this month (UTC). */
  readonly spent: MicroUsd;
  readonly held: MicroUsd;
  readonly isPaused: boolean;
}

/** A guild with its general caps, the allowance first. */
export interface GuildLine extends GuildFigures {
  readonly caps: readonly CapView[];
}
