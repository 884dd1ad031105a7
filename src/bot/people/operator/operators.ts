/** A user's rights as operator: `see` allows viewing everything, `change` also allows changes. */
export type OperatorRights = 'none' | 'see' | 'change';

/** Determines who the operator is. `src/bot/discord/wire/application-team.ts` implements it. */
export interface Operators {
  /** Throws if Discord cannot be reached. */
  rightsOf(userId: string): Promise<OperatorRights>;
}
