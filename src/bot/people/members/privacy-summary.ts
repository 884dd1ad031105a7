/** What is stored about a member, in numbers and dates. */
export interface PrivacySummary {
  readonly faces: number;
  readonly neverSwapSinceMs: number | null;
  /** How many servers' members may use the avatar, all or some of them. */
  readonly avatarServers: number;
  /** In how many servers they agreed that their speech is converted. */
  readonly voiceServers: number;
  /** In how many they agreed that their camera's picture is. */
  readonly liveServers: number;
  readonly jobs: number;
  readonly openJobs: number;
  readonly keptResults: number;
  readonly firstJobAtMs: number | null;
  readonly resultKeepDays: number;
  /** In how many servers something from before a deletion still counts against limits. */
  readonly countedServers: number;
  /** Links to messages with deleted results that the chat has not let the bot delete yet. */
  readonly undeleted: readonly string[];
}
