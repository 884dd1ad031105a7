/** The member who uses a budget command, with the data that decides what they may do. */
export interface BudgetCaller {
  readonly guildId: string;
  readonly userId: string;
  readonly roleIds: readonly string[];
  /** Whether the member has Discord's "Manage Server" permission. */
  readonly isAdmin: boolean;
}
