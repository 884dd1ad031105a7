/** The member who uses a command about budgets, with the data that decides what they may do. */
export interface BudgetCaller {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** Whether the member may manage the server. */
  readonly isAdmin: boolean;
}
