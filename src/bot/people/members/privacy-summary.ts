/** What is stored about a member, in numbers and dates. */
export interface PrivacySummary {
  readonly faces: number;
  readonly neverSwapSinceMs: number | null;
  /** The number of servers in which some or all members may use the avatar. */
  readonly avatarServers: number;
  /** The number of servers in which the member agreed to the conversion of their speech. */
  readonly voiceServers: number;
  /** The number of servers in which the member agreed to the conversion of their camera's picture. */
  readonly liveServers: number;
  readonly jobs: number;
  readonly openJobs: number;
  readonly keptResults: number;
  readonly firstJobAtMs: number | null;
  readonly resultKeepDays: number;
  /** The number of servers in which use from before a deletion still counts against limits. */
  readonly countedServers: number;
  /** Links to messages with deleted results that the chat has not let the bot delete yet. */
  readonly undeleted: readonly string[];
}
