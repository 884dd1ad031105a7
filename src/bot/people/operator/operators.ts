/** The rights of a user: `see` allows looking at everything, `change` also allows changes. */
export type OperatorRights = 'none' | 'see' | 'change';

/** Knows who operates the bot. Implemented in `src/bot/discord/wire/application-team.ts`. */
export interface Operators {
  /** Throws if the chat cannot be asked. */
  rightsOf(userId: string): Promise<OperatorRights>;
}
