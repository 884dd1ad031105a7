import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { MicroUsd } from '../base/money.ts';
import type { CheckContent } from './jobs/content-check.ts';
import type { Engines } from './engine/engines.ts';
import { RENDER_TIMEOUT_MS, defaultRenderWorkers } from './engine/render-limits.ts';
import type { GrantLive } from './sessions/live/live-kind.ts';
import type { VoiceFormat } from './sessions/voice/voice-place.ts';
import { CEILINGS } from './store/settings.ts';
import type { CallbackPolicy } from './webhooks/callback-policy.ts';
import type { Resolve } from './webhooks/transport.ts';

/** How the embedded Media Generation API is started. Everything but the first two has a default. */
export interface MediaServerOptions {
  /** Folder of the database, the secrets and all media; made if missing, used by one server at a time. */
  readonly dataDir: string;
  /** What it renders with. They stay the caller's, who disposes them after the server. */
  readonly engines: Engines;
  /** @defaultValue `127.0.0.1` */
  readonly host?: string | undefined;
  /** @defaultValue 0: any free port */
  readonly port?: number | undefined;
  /** How the outside reaches the server, without `/api/v1`; links begin with it. @defaultValue its own address */
  readonly publicUrl?: string | undefined;
  /** @defaultValue the system clock */
  readonly clock?: Clock | undefined;
  /** @defaultValue a silent one */
  readonly logger?: Logger | undefined;
  /** The embedded account's API key. @defaultValue made at first start and found again later */
  readonly apiKey?: string | undefined;
  /** The embedded account's webhook secret. @defaultValue made at first start and found again later */
  readonly signingSecret?: string | undefined;
  /** Of new keys, among them the embedded one. @defaultValue 60 */
  readonly requestsPerMinute?: number | undefined;
  /** The service's name in webhook headers: letters, digits and hyphens. @defaultValue `Service` */
  readonly headerPrefix?: string | undefined;
  /** Renders at once. @defaultValue as many as the engines take on, on this processor one less than its cores */
  readonly renderWorkers?: number | undefined;
  /** When a render is given up; that it stands still is for its engine to notice. @defaultValue 30 minutes */
  readonly renderTimeoutMs?: number | undefined;
  /** Where webhooks may go. @defaultValue `public-and-loopback` */
  readonly callbackPolicy?: CallbackPolicy | undefined;
  /** Queued and processing jobs at once, until an administrator sets another ceiling. @defaultValue 100 */
  readonly jobsInFlightMax?: number | undefined;
  /** Settle jobs before their webhook, so that it carries the charge; else the first GET does. @defaultValue true */
  readonly reconcileBeforeWebhook?: boolean | undefined;
  /** The embedded account's first top-up, once. @defaultValue 25 USD */
  readonly openingBalance?: MicroUsd | undefined;
  /** How long signed links work. @defaultValue 1 hour */
  readonly linkLifetimeMs?: number | undefined;
  /** How long an idempotency key names its job. @defaultValue 7 days, at least 24 hours */
  readonly idempotencyRetentionMs?: number | undefined;
  /** @defaultValue 7 days */
  readonly uploadRetentionMs?: number | undefined;
  /** @defaultValue 7 days */
  readonly outputRetentionMs?: number | undefined;
  /** The largest image or audio upload. @defaultValue 45 MB (45 x 2^20 bytes) */
  readonly imageBytesMax?: number | undefined;
  /** The largest video upload. @defaultValue 500 MB (500 x 2^20 bytes) */
  readonly videoBytesMax?: number | undefined;
  /** Kept uploads of one account. @defaultValue 20 GiB */
  readonly accountBytesMax?: number | undefined;
  /** Judges inputs and outputs. @defaultValue accepts everything */
  readonly checkContent?: CheckContent | undefined;
  /** Live sessions at once, until an administrator sets another ceiling. @defaultValue 4 */
  readonly liveSessionsMax?: number | undefined;
  /** Voice sessions at once, until an administrator sets another ceiling. @defaultValue 32 */
  readonly voiceSessionsMax?: number | undefined;
  /** How long an opened session waits for its client to connect. @defaultValue 60 s */
  readonly sessionConnectMs?: number | undefined;
  /** The length of a live session when places are few. @defaultValue 15 minutes once three quarters are taken */
  readonly grantLive?: GrantLive | undefined;
  /** How each voice session speaks. @defaultValue 48,000 Hz in chunks of 960 samples */
  readonly voiceFormat?: (() => VoiceFormat) | undefined;
  /**
   * Origins such as `https://media.example.com` under which the console page answers callers from elsewhere, also
   * through a proxy. @defaultValue none: only direct callers from this machine
   */
  readonly consoleOrigins?: readonly string[] | undefined;
  /** Resolves webhook hosts. @defaultValue the system's resolver */
  readonly resolve?: Resolve | undefined;
}

const MIB = 2 ** 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The numeric options with defaults filled in. */
export interface ServerNumbers {
  readonly port: number;
  readonly requestsPerMinute: number;
  readonly renderWorkers: number;
  readonly renderTimeoutMs: number;
  readonly jobsInFlightMax: number;
  readonly linkLifetimeMs: number;
  readonly idempotencyRetentionMs: number;
  readonly uploadRetentionMs: number;
  readonly outputRetentionMs: number;
  readonly imageBytesMax: number;
  readonly videoBytesMax: number;
  readonly accountBytesMax: number;
  readonly liveSessionsMax: number;
  readonly voiceSessionsMax: number;
  readonly sessionConnectMs: number;
}

const NUMBERS: Readonly<Record<keyof ServerNumbers, { value: number; min: number; max: number }>> = {
  port: { value: 0, min: 0, max: 65_535 },
  requestsPerMinute: { value: 60, min: 1, max: 1_000_000 },
  renderWorkers: { value: defaultRenderWorkers(), min: 1, max: 1_024 },
  renderTimeoutMs: { value: RENDER_TIMEOUT_MS, min: 1_000, max: DAY_MS },
  jobsInFlightMax: { value: 100, min: 1, max: CEILINGS.jobsInFlightMax.max },
  linkLifetimeMs: { value: HOUR_MS, min: 1_000, max: 30 * DAY_MS },
  idempotencyRetentionMs: { value: 7 * DAY_MS, min: DAY_MS, max: 365 * DAY_MS },
  uploadRetentionMs: { value: 7 * DAY_MS, min: 60_000, max: 365 * DAY_MS },
  outputRetentionMs: { value: 7 * DAY_MS, min: 60_000, max: 365 * DAY_MS },
  imageBytesMax: { value: 45 * MIB, min: 1, max: 4096 * MIB },
  videoBytesMax: { value: 500 * MIB, min: 1, max: 4096 * MIB },
  accountBytesMax: { value: 20 * 1024 * MIB, min: 1, max: Number.MAX_SAFE_INTEGER },
  liveSessionsMax: { value: 4, min: 1, max: CEILINGS.liveSessionsMax.max },
  voiceSessionsMax: { value: 32, min: 1, max: CEILINGS.voiceSessionsMax.max },
  sessionConnectMs: { value: 60_000, min: 1_000, max: HOUR_MS },
};

const HEADER_PREFIX = /^[A-Za-z][A-Za-z0-9-]{0,60}$/;
const SECRET_LENGTH_MIN = 8;

/** Throws `RangeError` naming a text option that is malformed, without its value. */
export function checkTexts(options: MediaServerOptions): void {
  const { headerPrefix, publicUrl, signingSecret, consoleOrigins = [] } = options;
  const refuse = (name: string, wants: string): never => {
    throw new RangeError(`Cannot start the media server: ${name} wants ${wants}`);
  };
  if (headerPrefix !== undefined && !HEADER_PREFIX.test(headerPrefix)) {
    refuse('headerPrefix', 'letters, digits and hyphens');
  }
  if (publicUrl !== undefined && !/^https?:$/.test(URL.parse(publicUrl)?.protocol ?? '')) {
    refuse('publicUrl', 'an http or https URL');
  }
  if (!consoleOrigins.every((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin)) {
    refuse('consoleOrigins', 'origins such as https://media.example.com');
  }
  if (signingSecret !== undefined && signingSecret.length < SECRET_LENGTH_MIN) {
    refuse('signingSecret', `${SECRET_LENGTH_MIN} characters or more`);
  }
}

/** The options' numbers with defaults filled in. Throws `RangeError` naming the option out of range. */
export function resolveNumbers(options: Partial<MediaServerOptions>): ServerNumbers {
  const { renderWorkers = options.engines?.rendersAtOnce } = options;
  const numbers = { ...options, renderWorkers };
  const number = (name: keyof ServerNumbers): number => {
    const { value, min, max } = NUMBERS[name];
    const given = numbers[name] ?? value;
    if (!Number.isSafeInteger(given) || given < min || given > max) {
      throw new RangeError(`Cannot start the media server: ${name} is ${given}, wants ${min} to ${max}`);
    }
    return given;
  };
  return {
    port: number('port'),
    requestsPerMinute: number('requestsPerMinute'),
    renderWorkers: number('renderWorkers'),
    renderTimeoutMs: number('renderTimeoutMs'),
    jobsInFlightMax: number('jobsInFlightMax'),
    linkLifetimeMs: number('linkLifetimeMs'),
    idempotencyRetentionMs: number('idempotencyRetentionMs'),
    uploadRetentionMs: number('uploadRetentionMs'),
    outputRetentionMs: number('outputRetentionMs'),
    imageBytesMax: number('imageBytesMax'),
    videoBytesMax: number('videoBytesMax'),
    accountBytesMax: number('accountBytesMax'),
    liveSessionsMax: number('liveSessionsMax'),
    voiceSessionsMax: number('voiceSessionsMax'),
    sessionConnectMs: number('sessionConnectMs'),
  };
}
