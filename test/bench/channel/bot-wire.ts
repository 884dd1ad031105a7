/** The types of the messages between the benchmark and a bot in another process. */
export interface BotPlace {
  /** The URL of the sandbox's API. */
  readonly apiUrl: string;
  readonly token: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly echoUrl: string;
}

export type ToBot =
  | { readonly kind: 'start'; readonly way: BotWay; readonly place: BotPlace }
  /** Starts converting the speech of these members, and of nobody else. */
  | { readonly kind: 'convert'; readonly userIds: readonly string[] }
  /** Resets all figures. */
  | { readonly kind: 'measure' }
  | { readonly kind: 'report' };

/** The voice room of this project, or the pipeline that the libraries' guides suggest. */
export type BotWay = 'room' | 'guide';

export type FromBot =
  | { readonly kind: 'started'; readonly userId: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly report: BotReport };

/** Figures since the last `measure` message. */
export interface BotReport {
  readonly wallMs: number;
  /** The whole process's processor time, in user mode and in the kernel. */
  readonly userMs: number;
  readonly systemMs: number;
  readonly rssBytes: number;
  /** Only the voice room reports this figure and those below. */
  readonly framesSent: number;
  readonly framesMissed: number;
  readonly tickLateP99Ms: number;
  readonly insideP50Ms: number;
  readonly insideP95Ms: number;
}

/** A bot of either kind. */
export interface BenchBot {
  convert(userIds: readonly string[]): Promise<void>;
  measure(): void;
  readonly figures: Omit<BotReport, 'wallMs' | 'userMs' | 'systemMs' | 'rssBytes'>;
}
