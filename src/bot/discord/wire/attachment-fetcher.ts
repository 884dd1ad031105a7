import { lookup } from 'node:dns';
import { open, rename, rm } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Agent, type Dispatcher, request as httpRequest } from '../../../base/http-client.ts';
import { type Clock, DeadlineError, withDeadline } from '../../../base/clock.ts';
import {
  type LookupAll,
  type SocketLookup,
  isLoopbackHost,
  isPublicAddress,
  lookupPublic,
  publicLookup,
} from '../../../base/public-address.ts';
import { randomId } from '../../../base/ids.ts';
import { retry } from '../../../base/retry.ts';
import { DISCORD_CDN_HOSTS } from '../../../base/setting-rules.ts';
import { AttachmentError } from './attachment-error.ts';
import type { InputFetcher } from '../../jobs/inputs/input-fetcher.ts';

interface AttachmentFetcherOptions {
  /**
   * The only hosts from which files are downloaded, as `host` or `host:port`. HTTPS is required, except for loopback
   * addresses. Default: Discord's two CDN hosts.
   */
  readonly hosts?: readonly string[] | undefined;
  readonly clock: Clock;
  /** Looks up the IP addresses of host names. Only public addresses are used. Default: the system's lookup. */
  readonly lookup?: LookupAll;
  /**
   * The time limit for a small file, including repeated attempts, in milliseconds; a large file gets more time.
   * Default 60 s.
   */
  readonly deadlineMs?: number;
  /** The longest time without data from the host, in milliseconds. Default 10 s. */
  readonly silenceTimeoutMs?: number;
}

const DEADLINE_MS = 60_000;
const SILENCE_TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 3;
const CONNECTIONS_MAX = 8;
/** The lowest download speed that the time limit for a large file allows for: 4 MB per second. */
const BYTES_PER_MS_MIN = 4_000;

interface Request {
  readonly url: string;
  readonly toPath: string;
  readonly sizeBytesMax: number;
}

/** Downloads command attachments, only from Discord's CDN. */
export class AttachmentFetcher implements InputFetcher, AsyncDisposable {
  readonly #options: AttachmentFetcherOptions;
  readonly #hosts: ReadonlySet<string>;
  readonly #agent: Agent;

  constructor(options: AttachmentFetcherOptions) {
    const silenceMs = options.silenceTimeoutMs ?? SILENCE_TIMEOUT_MS;
    this.#options = options;
    this.#hosts = new Set(
      (options.hosts ?? DISCORD_CDN_HOSTS).map((host) => host.toLowerCase().replace(/:443$/, '')),
    );
    this.#agent = new Agent({
      connections: CONNECTIONS_MAX,
      connect: { timeout: silenceMs, lookup: lookupFor(options.lookup) },
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    });
  }

  async fetch(request: Request, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const deadlineMs = (this.#options.deadlineMs ?? DEADLINE_MS) + request.sizeBytesMax / BYTES_PER_MS_MIN;
    const url = this.#allowed(request.url);
    const attempts = {
      clock,
      attemptsMax: ATTEMPTS_MAX,
      delayMsFirst: 250,
      delayMsMax: 2_000,
      retryable: (error: unknown) => error instanceof AttachmentError && error.retryable,
    };
    let running: Promise<void> | undefined;
    const run = (combined: AbortSignal): Promise<void> => {
      running = retry({ ...attempts, signal: combined }, () => this.#download(url, request, combined));
      return running;
    };
    try {
      await withDeadline(clock, deadlineMs, run, signal);
    } catch (error) {
      // After the abort, the download must still remove its partial file.
      await Promise.allSettled([running]);
      if (!(error instanceof DeadlineError) || signal.aborted) throw error;
      throw new AttachmentError({ kind: 'unavailable' }, `not done within ${deadlineMs} ms`, true);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #allowed(text: string): URL {
    const url = URL.parse(text);
    if (!url || !this.#hosts.has(url.host) || url.username !== '' || url.password !== '') {
      throw new AttachmentError({ kind: 'unavailable' }, 'its host is not allowed');
    }
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopbackHost(url.hostname))) {
      throw new AttachmentError({ kind: 'unavailable' }, 'its link is not HTTPS');
    }
    // An IP address in the link itself is not looked up, so it must be checked here.
    const address = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0 && !isLoopbackHost(url.hostname) && !isPublicAddress(address)) {
      throw new AttachmentError({ kind: 'unavailable' }, 'its address is not public');
    }
    return url;
  }

  async #download(url: URL, request: Request, signal: AbortSignal): Promise<void> {
    const response = await this.#ask(url, signal);
    const announced = Number(response.headers['content-length'] ?? 0);
    if (announced > request.sizeBytesMax) {
      discard(response);
      throw tooLarge(announced, request.sizeBytesMax);
    }
    const partPath = `${request.toPath}.${randomId('part')}`;
    try {
      const { sizeBytesMax } = request;
      const sizeBytes = await store(response.body, { path: partPath, sizeBytesMax }, signal);
      if (sizeBytes === 0) throw new AttachmentError({ kind: 'empty' }, 'it is empty');
      await rename(partPath, request.toPath);
    } catch (error) {
      await rm(partPath, { force: true });
      throw error;
    }
  }

  async #ask(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    // The HTTP client does not follow redirects by default.
    const response = await httpRequest(url, { dispatcher: this.#agent, signal }).catch((error: unknown) => {
      const isPrivate = codeOf(error) === 'EPRIVATEADDRESS';
      throw new AttachmentError({ kind: 'unavailable' }, reasonOf(error), !isPrivate);
    });
    if (response.statusCode === 200) return response;
    discard(response);
    const retryable = response.statusCode >= 500 || response.statusCode === 429;
    throw new AttachmentError({ kind: 'unavailable' }, `the host answered ${response.statusCode}`, retryable);
  }
}

/** Writes the body to the new file `path` and returns its size in bytes. */
async function store(
  body: Dispatcher.ResponseData['body'],
  { path, sizeBytesMax }: { readonly path: string; readonly sizeBytesMax: number },
  signal: AbortSignal,
): Promise<number> {
  let sizeBytes = 0;
  await using file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      sizeBytes += chunk.byteLength;
      if (sizeBytes > sizeBytesMax) throw tooLarge(sizeBytes, sizeBytesMax);
      await file.writeFile(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw isFromNetwork(error) ? new AttachmentError({ kind: 'unavailable' }, reasonOf(error), true) : error;
  }
  return sizeBytes;
}

function tooLarge(sizeBytes: number, sizeBytesMax: number): AttachmentError {
  return new AttachmentError({ kind: 'too_large', sizeBytes, sizeBytesMax }, 'it is too large');
}

function discard({ body }: Dispatcher.ResponseData): void {
  // An aborted body emits an error, which would otherwise be unhandled.
  body.on('error', () => undefined).destroy();
}

/** Hosts with a loopback name may be this machine. All other hosts must have public addresses. */
function lookupFor(lookupAll: LookupAll | undefined): SocketLookup {
  const publicOnly = lookupAll ? publicLookup(lookupAll) : lookupPublic;
  return (hostname, options, callback) => {
    if (isLoopbackHost(hostname)) lookup(hostname, options, callback);
    else publicOnly(hostname, options, callback);
  };
}

/** Returns whether an error comes from Undici or the socket, and not, for example, from a full disk. */
function isFromNetwork(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('UND_ERR_') || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT';
}

/** Returns only the error's code or class, because error messages from the network layer may contain the link. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== '') return code;
  return error instanceof Error ? error.name : 'unknown';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
