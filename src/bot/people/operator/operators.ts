/** `see` looks at everything, `change` also changes it. */
export type OperatorRights = 'none' | 'see' | 'change';

/** Who runs the bot. Implemented in `src/bot/discord/wire/application-team.ts`. */
export interface Operators {
  /** Throws when the chat could not be asked. */
  rightsOf(userId: string): Promise<OperatorRights>;
}
