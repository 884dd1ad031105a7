/** Who asks, as far as budgets go. */
export interface BudgetCaller {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** May manage the server. */
  readonly isAdmin: boolean;
}
