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
import type { Resolve } from './webhooks/webhook-transport.ts';

/** The options of the embedded Media Generation API. All but the first two have a default. */
export interface MediaServerOptions {
  /**
   * The folder for the database, the secrets and all media. It is created if missing and used by one server at a time.
   */
  readonly dataDir: string;
  /** The engines that render. The caller owns them and disposes them after the server. */
  readonly engines: Engines;
  /** The address to listen on. @defaultValue `127.0.0.1` */
  readonly host?: string | undefined;
  /** The port to listen on. @defaultValue 0: any free port */
  readonly port?: number | undefined;
  /** The server's public address, without `/api/v1`; links begin with it. @defaultValue its own address */
  readonly publicUrl?: string | undefined;
  /** The clock for everything but sockets. @defaultValue the system clock */
  readonly clock?: Clock | undefined;
  /** The logger. @defaultValue a silent one */
  readonly logger?: Logger | undefined;
  /** The embedded account's API key. @defaultValue generated at the first start and used again later */
  readonly apiKey?: string | undefined;
  /**
   * The embedded account's webhook secret. @defaultValue generated at the first start and used again later
   */
  readonly signingSecret?: string | undefined;
  /** The rate limit for new keys, including the embedded one, in requests per minute. @defaultValue 60 */
  readonly requestsPerMinute?: number | undefined;
  /** The service's name in webhook headers: letters, digits and hyphens. @defaultValue `Service` */
  readonly headerPrefix?: string | undefined;
  /**
   * The number of renders that run at the same time. @defaultValue the number that the engines support; for the CPU
   * engines, one less than the number of processor cores
   */
  readonly renderWorkers?: number | undefined;
  /**
   * The time after which a render is aborted. Detecting a stalled render earlier is up to its engine. @defaultValue 30
   * minutes
   */
  readonly renderTimeoutMs?: number | undefined;
  /** The addresses that webhooks may go to. @defaultValue `public-and-loopback` */
  readonly callbackPolicy?: CallbackPolicy | undefined;
  /**
   * The largest number of queued and processing jobs, until an administrator sets another ceiling. @defaultValue 100
   */
  readonly jobsInFlightMax?: number | undefined;
  /**
   * Whether a job is settled before its webhook is sent, so that the webhook carries the charge; otherwise the first
   * `GET` of the job settles it. @defaultValue true
   */
  readonly reconcileBeforeWebhook?: boolean | undefined;
  /** The embedded account's first top-up, which happens once. @defaultValue 25 USD */
  readonly openingBalance?: MicroUsd | undefined;
  /** How long signed links work. @defaultValue 1 hour */
  readonly linkLifetimeMs?: number | undefined;
  /** How long an idempotency key refers to its job. @defaultValue 7 days, at least 24 hours */
  readonly idempotencyRetentionMs?: number | undefined;
  /** How long uploads are stored. @defaultValue 7 days */
  readonly uploadRetentionMs?: number | undefined;
  /** How long outputs are stored. @defaultValue 7 days */
  readonly outputRetentionMs?: number | undefined;
  /** The largest image or audio upload. @defaultValue 45 MB (45 x 2^20 bytes) */
  readonly imageBytesMax?: number | undefined;
  /** The largest video upload. @defaultValue 500 MB (500 x 2^20 bytes) */
  readonly videoBytesMax?: number | undefined;
  /** The largest total size of one account's stored uploads. @defaultValue 20 GiB */
  readonly accountBytesMax?: number | undefined;
  /** Checks inputs and outputs. @defaultValue accepts everything */
  readonly checkContent?: CheckContent | undefined;
  /** The largest number of simultaneous live sessions, until an administrator sets another ceiling. @defaultValue 4 */
  readonly liveSessionsMax?: number | undefined;
  /**
   * The largest number of simultaneous voice sessions, until an administrator sets another ceiling. @defaultValue 32
   */
  readonly voiceSessionsMax?: number | undefined;
  /** How long an opened session waits for its client to connect. @defaultValue 60 s */
  readonly sessionConnectMs?: number | undefined;
  /**
   * Decides the length of a live session when few places are left. @defaultValue at most 15 minutes once three quarters
   * of the places are taken
   */
  readonly grantLive?: GrantLive | undefined;
  /** Returns the audio format of each new voice session. @defaultValue 48,000 Hz in chunks of 960 samples */
  readonly voiceFormat?: (() => VoiceFormat) | undefined;
  /**
   * Origins such as `https://media.example.com` under which callers from other machines reach the console page,
   * including callers through a proxy. @defaultValue none: only direct callers from this machine
   */
  readonly consoleOrigins?: readonly string[] | undefined;
  /** Resolves the host names of webhooks. @defaultValue the system's resolver */
  readonly resolve?: Resolve | undefined;
}

const MIB = 2 ** 20;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The numeric options, including defaults. */
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

/** Throws `RangeError` with the name, but not the value, of a text option that is malformed. */
export function checkTexts(options: MediaServerOptions): void {
  const { headerPrefix, publicUrl, signingSecret, consoleOrigins = [] } = options;
  const refuse = (name: string, rule: string): never => {
    throw new RangeError(`Cannot start the media server: ${name} must ${rule}`);
  };
  if (headerPrefix !== undefined && !HEADER_PREFIX.test(headerPrefix)) {
    refuse('headerPrefix', 'consist of letters, digits and hyphens');
  }
  if (publicUrl !== undefined && !/^https?:$/.test(URL.parse(publicUrl)?.protocol ?? '')) {
    refuse('publicUrl', 'be an http or https URL');
  }
  if (!consoleOrigins.every((origin) => /^https?:/.test(origin) && URL.parse(origin)?.origin === origin)) {
    refuse('consoleOrigins', 'be origins such as https://media.example.com');
  }
  if (signingSecret !== undefined && signingSecret.length < SECRET_LENGTH_MIN) {
    refuse('signingSecret', `have ${SECRET_LENGTH_MIN} characters or more`);
  }
}

/**
 * Returns the numeric options, including defaults. Throws `RangeError` with the name of an option that is out
 * of range.
 */
export function resolveNumbers(options: Partial<MediaServerOptions>): ServerNumbers {
  const { renderWorkers = options.engines?.rendersAtOnce } = options;
  const numbers = { ...options, renderWorkers };
  const number = (name: keyof ServerNumbers): number => {
    const { value, min, max } = NUMBERS[name];
    const given = numbers[name] ?? value;
    if (!Number.isSafeInteger(given) || given < min || given > max) {
      throw new RangeError(`Cannot start the media server: ${name} is ${given}, must be ${min} to ${max}`);
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
