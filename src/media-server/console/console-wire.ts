/**
 * What the console page and its server say to each other, as JSON below `/console/api/`. Amounts are whole
 * micro-dollars, moments epoch milliseconds. What somebody typed goes as text and is read by the server alone.
 *
 *   GET    session            -> WireSignedIn
 *   POST   session            WireLogIn -> 204 and a cookie
 *   DELETE session            -> 204
 *   GET    events             -> server-sent events, each a WireChange; the first holds everything
 *   GET    lists/<name>?offset=n&limit=n -> WirePage of that list
 *   GET    balance?account=id -> WireAccountBalance
 *   POST   verbs              ConsoleVerb -> ConsoleAnswer
 *
 * Whatever is refused is answered with a WireRefusal.
 */
export interface WireSignedIn {
  readonly signedIn: boolean;
  /** Whether as many pages listen as may: another one is not told anything. */
  readonly isFull: boolean;
}

export interface WireLogIn {
  readonly password: string;
}

/** `message` is for people. `field` is that of the verb which cannot be taken. */
export interface WireRefusal {
  readonly error: {
    readonly code: 'signed_out' | 'wrong_password' | 'limited' | 'forbidden' | 'refused' | 'failed';
    readonly message: string;
    readonly field?: string;
  };
}

/** The first rows, or those from an offset on; `more` says whether others follow. */
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
  /** Null: the public rate. */
  readonly accountId: string | null;
  /** What the rate is paid for. */
  readonly unit: 'image' | 'second' | 'minute';
  readonly rate: number;
  /** Null for sessions, which have neither and are billed per minute. */
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
  /** The most that it can be. */
  readonly max: number;
  /** Null: the server's own default. */
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
  /** The granted length. */
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
  /** From 1. */
  readonly number: number;
  readonly startedAt: number;
  /** Null while it is under way, and where nobody knows how it ended. */
  readonly endedAt: number | null;
  /** A status or an error code. */
  readonly outcome: string | null;
}

export interface WireWebhookRow {
  readonly id: string;
  readonly jobId: string;
  readonly accountId: string;
  /** Of the callback URL; its path may be a secret. */
  readonly origin: string;
  readonly state: 'pending' | 'delivered' | 'abandoned';
  /** How often it was tried. */
  readonly attempts: number;
  readonly attemptsMax: number;
  /** Every attempt in order, as far back as they were kept. */
  readonly tries: readonly WireAttempt[];
  /** When it is tried next, while it waits for that. */
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

/** The lists that can be read on. */
export interface ConsoleLists {
  readonly accounts: WirePage<WireAccount>;
  readonly keys: WirePage<WireKey>;
  readonly jobs: WirePage<WireJobRow>;
  readonly sessions: WirePage<WireSessionRow>;
  readonly webhooks: WirePage<WireWebhookRow>;
}

/** All that the console shows; of each list the first page. */
export interface ConsoleState extends ConsoleLists {
  readonly totals: WireTotals;
  /** Of all accounts, also of those that the first page does not hold: a thousand at most. */
  readonly accountNames: readonly WireAccountName[];
  readonly rates: readonly WireRate[];
  readonly switches: readonly WireSwitch[];
  readonly ceilings: readonly WireCeiling[];
  /** The limit that the server gives to new keys. */
  readonly requestsPerMinute: number;
}

/** Whatever has changed, each part as a whole. */
export type WireChange = Partial<ConsoleState>;

/** Everything that the console does. */
export type ConsoleVerb =
  | { readonly verb: 'create_account'; readonly name: string }
  | { readonly verb: 'top_up'; readonly accountId: string; readonly dollars: string }
  | {
      readonly verb: 'create_key';
      readonly accountId: string;
      readonly name: string;
      /** Null: the limit that the server gives to new keys. */
      readonly requestsPerMinute: string | null;
    }
  | { readonly verb: 'limit_key'; readonly keyId: string; readonly requestsPerMinute: string }
  | { readonly verb: 'revoke_key'; readonly keyId: string }
  | { readonly verb: 'show_secret'; readonly accountId: string }
  | { readonly verb: 'rotate_secret'; readonly accountId: string; readonly overlapMinutes: string }
  | {
      readonly verb: 'set_rate';
      readonly capability: string;
      /** Null: the public rate. */
      readonly accountId: string | null;
      /** Null, of all three: stays as it is. Sessions have only a rate. */
      readonly rate: string | null;
      readonly minimum: string | null;
      readonly hold: string | null;
    }
  | { readonly verb: 'reset_rate'; readonly capability: string; readonly accountId: string }
  | { readonly verb: 'switch_capability'; readonly capability: string; readonly enabled: boolean }
  | { readonly verb: 'set_ceiling'; readonly ceiling: string; readonly value: string }
  | { readonly verb: 'cancel_job'; readonly jobId: string }
  | { readonly verb: 'new_password' };

/** What a verb did, for people. */
export interface ConsoleAnswer {
  readonly done: string;
  /** Of what was made. */
  readonly id?: string;
  /** A key, a signing secret or a password. */
  readonly secret?: string;
}
