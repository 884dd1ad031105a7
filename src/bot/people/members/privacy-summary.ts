/** A summary of the data that is stored about a member. */
export interface PrivacySummary {
  readonly faces: number;
  readonly neverSwapSinceMs: number | null;
  /** The number of servers in which some or all members may use this member's avatar. */
  readonly avatarServers: number;
  /** The number of servers in which the member agreed to have their speech converted. */
  readonly voiceServers: number;
  /** The number of servers in which the member agreed to have their camera picture converted. */
  readonly liveServers: number;
  readonly jobs: number;
  readonly openJobs: number;
  readonly keptResults: number;
  readonly firstJobAtMs: number | null;
  readonly resultKeepDays: number;
  /** The number of servers in which earlier use still counts against limits, although the member's data was deleted. */
  readonly countedServers: number;
  /** Links to messages with deleted results that Discord has not yet allowed the bot to delete. */
  readonly undeleted: readonly string[];
}
