import type { Report } from '../../../src/bot/money/reconciliation/report.ts';

/** What a bot is started with. */
export interface BotPlace {
  readonly token: string;
  readonly apiUrl: string;
  readonly cdnHost: string;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly signingSecret: string;
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly budgetMicros: number;
}

export type ToBot =
  | { readonly kind: 'measure' }
  /** The books are compared with the service. */
  | { readonly kind: 'reconcile' }
  /** It ends by itself once everything of it is closed. */
  | { readonly kind: 'stop' };

export type FromBot =
  | { readonly kind: 'ready' }
  | { readonly kind: 'figures'; readonly figures: BotFigures }
  | { readonly kind: 'report'; readonly report: Report | null }
  | { readonly kind: 'stopped' };

/** What the bot's process has, after garbage collection. */
export interface BotFigures {
  /** JavaScript's own, with the buffers and WebAssembly memories that it refers to. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** What keeps the process alive, by the runtime's names: sockets, timers, and others. */
  readonly resources: Readonly<Record<string, number>>;
  /** Of the runtime since the start, such as listeners that become ever more. */
  readonly warnings: readonly string[];
}
