/** The member who calls, with the data that decides about budgets. */
export interface BudgetCaller {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** Whether the member may manage the server. */
  readonly isAdmin: boolean;
}
