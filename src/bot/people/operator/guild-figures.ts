import type { MicroUsd } from '../../../base/money.ts';
import type { CapView } from '../../money/caps/cap.ts';

export interface GuildFigures {
  readonly guildId: string;
  readonly name: string | null;
  /** In this month (UTC). */
  readonly spent: MicroUsd;
  readonly held: MicroUsd;
  readonly isPaused: boolean;
}

/** A guild with what limits all of it: the allowance first. */
export interface GuildLine extends GuildFigures {
  readonly caps: readonly CapView[];
}
