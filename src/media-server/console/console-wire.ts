/**
 * The messages between the console page and its server, as JSON below `/console/api/`. Amounts are whole
 * micro-dollars, times are epoch milliseconds. User input is sent as text, and only the server parses it.
 *
 *     GET    session            -> WireSignedIn
 *     POST   session            WireLogIn -> 204 and a cookie
 *     DELETE session            -> 204
 *     GET    events             -> server-sent events, each a WireChange; the first contains everything
 *     GET    lists/<name>?offset=n&limit=n -> WirePage of that list
 *     GET    balance?account=id -> WireAccountBalance
 *     POST   verbs              ConsoleVerb -> ConsoleAnswer
 *
 * A refusal is answered with a WireRefusal.
 */
export interface WireSignedIn {
  readonly signedIn: boolean;
  /** Whether the largest allowed number of pages is open. Further pages get no events. */
  readonly isFull: boolean;
}

export interface WireLogIn {
  readonly password: string;
}

/** A refusal. `message` is written for users. `field` is the verb's field whose value cannot be accepted. */
export interface WireRefusal {
  readonly error: {
    readonly code: 'signed_out' | 'wrong_password' | 'limited' | 'forbidden' | 'refused' | 'failed';
    readonly message: string;
    readonly field?: string;
  };
}

/** The first rows of a list, or the rows from an offset. `more` is true if more rows follow. */
export interface WirePage<Row> {
  readonly rows: readonly Row[];
  readonly more: boolean;
}

export interface WireAccount {
  readonly id: string;
  readonly name: string;
  readonly available: number;
  readonly held: number;
  readonly spent: number;
  readonly toppedUp: number;
}

interface WireAccountName {
  readonly id: string;
  readonly name: string;
}

export interface WireAccountBalance {
  readonly balance: number;
  readonly toppedUp: number;
  readonly spent: number;
  readonly spentThisWeek: number;
  readonly spentThisMonth: number;
  readonly spentThisYear: number;
}

export interface WireKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly requestsPerMinute: number;
  readonly createdAt: number;
  readonly revokedAt: number | null;
}

export interface WireRate {
  readonly capability: string;
  /** The account of a negotiated rate, or null for a public rate. */
  readonly accountId: string | null;
  /** The unit that the rate is charged for. */
  readonly unit: 'image' | 'second' | 'minute';
  readonly rate: number;
  /** The minimum charge. Like the hold, it is null for sessions, which are billed per minute. */
  readonly minimum: number | null;
  readonly hold: number | null;
}

export interface WireSwitch {
  readonly capability: string;
  readonly enabled: boolean;
}

export interface WireCeiling {
  readonly name: string;
  readonly what: string;
  /** The largest value that the ceiling can be set to. */
  readonly max: number;
  /** The value that an administrator set, or null for the server's default. */
  readonly value: number | null;
}

export interface WireJobRow {
  readonly id: string;
  readonly accountId: string;
  readonly capability: string;
  readonly status: 'queued' | 'processing' | 'succeeded' | 'failed';
  readonly hold: number;
  readonly charged: number | null;
  readonly errorCode: string | null;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly finishedAt: number | null;
}

export interface WireSessionRow {
  readonly id: string;
  readonly accountId: string;
  readonly capability: string;
  readonly state: 'opening' | 'ready' | 'connected' | 'succeeded' | 'failed';
  /** The length that was granted. */
  readonly seconds: number;
  readonly costMax: number;
  readonly streamedMs: number | null;
  readonly charged: number | null;
  readonly reason: string | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** One attempt to deliver a webhook. */
export interface WireAttempt {
  /** The number of the attempt, starting at 1. */
  readonly number: number;
  readonly startedAt: number;
  /** The end of the attempt, or null while it is in progress or if its end was not recorded. */
  readonly endedAt: number | null;
  /** The result: an HTTP status or an error code. */
  readonly outcome: string | null;
}

export interface WireWebhookRow {
  readonly id: string;
  readonly jobId: string;
  readonly accountId: string;
  /** The origin of the callback URL. The path is left out, because it may be a secret. */
  readonly origin: string;
  readonly state: 'pending' | 'delivered' | 'abandoned';
  /** The number of attempts so far. */
  readonly attempts: number;
  readonly attemptsMax: number;
  /** All attempts that are still stored, in order. */
  readonly tries: readonly WireAttempt[];
  /** When the next attempt is due, if there will be one. */
  readonly dueAt: number | null;
  readonly createdAt: number;
}

export interface WireTotals {
  readonly available: number;
  readonly held: number;
  readonly jobsQueued: number;
  readonly jobsProcessing: number;
  readonly sessionsOpen: number;
  readonly webhooksPending: number;
}

/** The lists that are read in pages. */
export interface ConsoleLists {
  readonly accounts: WirePage<WireAccount>;
  readonly keys: WirePage<WireKey>;
  readonly jobs: WirePage<WireJobRow>;
  readonly sessions: WirePage<WireSessionRow>;
  readonly webhooks: WirePage<WireWebhookRow>;
}

/** Everything that the console shows, with the first page of each list. */
export interface ConsoleState extends ConsoleLists {
  readonly totals: WireTotals;
  /** The names of all accounts, at most a thousand, including those that are not on the first page. */
  readonly accountNames: readonly WireAccountName[];
  readonly rates: readonly WireRate[];
  readonly switches: readonly WireSwitch[];
  readonly ceilings: readonly WireCeiling[];
  /** The default limit of new keys. */
  readonly requestsPerMinute: number;
}

/** The parts that have changed, each complete. */
export type WireChange = Partial<ConsoleState>;

/** Every action of the console. */
export type ConsoleVerb =
  | { readonly verb: 'create_account'; readonly name: string }
  | { readonly verb: 'top_up'; readonly accountId: string; readonly dollars: string }
  | {
      readonly verb: 'create_key';
      readonly accountId: string;
      readonly name: string;
      /** The limit of the key, or null for the server's default. */
      readonly requestsPerMinute: string | null;
    }
  | { readonly verb: 'limit_key'; readonly keyId: string; readonly requestsPerMinute: string }
  | { readonly verb: 'revoke_key'; readonly keyId: string }
  | { readonly verb: 'show_secret'; readonly accountId: string }
  | { readonly verb: 'rotate_secret'; readonly accountId: string; readonly overlapMinutes: string }
  | {
      readonly verb: 'set_rate';
      readonly capability: string;
      /** The account of a negotiated rate, or null for the public rate. */
      readonly accountId: string | null;
      /** Each of the three amounts is null if it stays unchanged. Sessions have only a rate. */
      readonly rate: string | null;
      readonly minimum: string | null;
      readonly hold: string | null;
    }
  | { readonly verb: 'reset_rate'; readonly capability: string; readonly accountId: string }
  | { readonly verb: 'switch_capability'; readonly capability: string; readonly enabled: boolean }
  | { readonly verb: 'set_ceiling'; readonly ceiling: string; readonly value: string }
  | { readonly verb: 'cancel_job'; readonly jobId: string }
  | { readonly verb: 'new_password' };

/** The result of a verb, for users. */
export interface ConsoleAnswer {
  readonly done: string;
  /** The id of the created object. */
  readonly id?: string;
  /** A key, a signing secret or a password. */
  readonly secret?: string;
}
