import type { CommandBody } from './command-body.ts';

/** A registered application command. */
export interface Command {
  readonly id: string;
  readonly applicationId: string;
  /** Null for a global command. */
  readonly guildId: string | null;
  /** Changes whenever the definition changes. */
  readonly version: string;
  readonly definition: CommandBody;
}
