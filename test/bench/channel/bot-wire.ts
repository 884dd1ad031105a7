/** What the benchmark tells a bot in another process, and hears from it. */
export interface BotPlace {
  /** Of the sandbox. */
  readonly apiUrl: string;
  readonly token: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly echoUrl: string;
}

export type ToBot =
  | { readonly kind: 'start'; readonly way: BotWay; readonly place: BotPlace }
  /** From now on these members are converted, and nobody else. */
  | { readonly kind: 'convert'; readonly userIds: readonly string[] }
  /** Counts begin anew. */
  | { readonly kind: 'measure' }
  | { readonly kind: 'report' };

/** The room of this project, or the pipeline that the libraries' guides suggest. */
export type BotWay = 'room' | 'guide';

export type FromBot =
  | { readonly kind: 'started'; readonly userId: string }
  | { readonly kind: 'done' }
  | { readonly kind: 'report'; readonly report: BotReport };

/** Since `measure`. */
export interface BotReport {
  readonly wallMs: number;
  /** Processor time of the whole process, in its own code and in the kernel. */
  readonly userMs: number;
  readonly systemMs: number;
  readonly rssBytes: number;
  /** Of the room alone. */
  readonly framesSent: number;
  readonly framesMissed: number;
  readonly tickLateP99Ms: number;
  readonly insideP50Ms: number;
  readonly insideP95Ms: number;
}

/** One of the two ways of doing it. */
export interface BenchBot {
  convert(userIds: readonly string[]): Promise<void>;
  measure(): void;
  readonly figures: Omit<BotReport, 'wallMs' | 'userMs' | 'systemMs' | 'rssBytes'>;
}
