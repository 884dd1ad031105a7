import type { Report } from '../../../src/bot/money/reconciliation/report.ts';

/** A bot's start options. */
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
  /** Compares the bot's books with the service's. */
  | { readonly kind: 'reconcile' }
  /** Closes everything, so that the process ends by itself. */
  | { readonly kind: 'stop' };

export type FromBot =
  | { readonly kind: 'ready' }
  | { readonly kind: 'figures'; readonly figures: BotFigures }
  | { readonly kind: 'report'; readonly report: Report | null }
  | { readonly kind: 'stopped' };

/** The figures for the bot's process after garbage collection. */
export interface BotFigures {
  /** The JavaScript heap, with its buffers and WebAssembly memories. */
  readonly heapBytes: number;
  readonly rssBytes: number;
  /** The resources that keep the process alive, by the runtime's names: sockets, timers, and others. */
  readonly resources: Readonly<Record<string, number>>;
  /** The runtime's warnings since the start, such as those about leaked listeners. */
  readonly warnings: readonly string[];
}
