import { createHash } from 'node:crypto';
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

export interface AttachmentFetcherOptions {
  /**
   * The only hosts fetched from, as `host` or `host:port`. HTTPS, except for loopback addresses.
   * Default: Discord's two CDN hosts.
   */
  readonly hosts?: readonly string[] | undefined;
  readonly clock: Clock;
  /** Finds the addresses of host names. Default: the system's. None but public ones are connected to. */
  readonly lookup?: LookupAll;
  /** How long one small file may take, its repeats included, in milliseconds; a large one gets more. Default 60,000. */
  readonly deadlineMs?: number;
  /** How long the other side may be silent, in milliseconds. Default 10,000. */
  readonly silenceTimeoutMs?: number;
}

const DEADLINE_MS = 60_000;
const SILENCE_TIMEOUT_MS = 10_000;
const ATTEMPTS_MAX = 3;
const CONNECTIONS_MAX = 8;
/** 4 MB a second: what a clip may take longer than a picture. */
const BYTES_PER_MS_MIN = 4_000;

interface Request {
  readonly url: string;
  readonly toPath: string;
  readonly sizeBytesMax: number;
}

type Fetched = Awaited<ReturnType<InputFetcher['fetch']>>;

/** Downloads command attachments from the chat's CDN, and from nowhere else. */
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

  async fetch(request: Request, signal: AbortSignal): Promise<Fetched> {
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
    let running: Promise<Fetched> | undefined;
    const run = (combined: AbortSignal): Promise<Fetched> => {
      running = retry({ ...attempts, signal: combined }, () => this.#download(url, request, combined));
      return running;
    };
    try {
      return await withDeadline(clock, deadlineMs, run, signal);
    } catch (error) {
      // The abort ends it at once; only then is its part of the file gone.
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
    // Nothing is looked up for an address.
    const address = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(address) !== 0 && !isLoopbackHost(url.hostname) && !isPublicAddress(address)) {
      throw new AttachmentError({ kind: 'unavailable' }, 'its address is not public');
    }
    return url;
  }

  async #download(url: URL, request: Request, signal: AbortSignal): Promise<Fetched> {
    const response = await this.#ask(url, signal);
    const announced = Number(response.headers['content-length'] ?? 0);
    if (announced > request.sizeBytesMax) {
      discard(response);
      throw tooLarge(announced, request.sizeBytesMax);
    }
    const partPath = `${request.toPath}.${randomId('part')}`;
    try {
      const fetched = await store(response.body, partPath, request.sizeBytesMax, signal);
      if (fetched.sizeBytes === 0) throw new AttachmentError({ kind: 'empty' }, 'it is empty');
      await rename(partPath, request.toPath);
      return fetched;
    } catch (error) {
      await rm(partPath, { force: true });
      throw error;
    }
  }

  async #ask(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    // Redirects are not followed unless asked for, and here they are not.
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

async function store(
  body: Dispatcher.ResponseData['body'],
  path: string,
  sizeBytesMax: number,
  signal: AbortSignal,
): Promise<Fetched> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  await using file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      signal.throwIfAborted();
      sizeBytes += chunk.byteLength;
      if (sizeBytes > sizeBytesMax) throw tooLarge(sizeBytes, sizeBytesMax);
      hash.update(chunk);
      await file.writeFile(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw isFromNetwork(error) ? new AttachmentError({ kind: 'unavailable' }, reasonOf(error), true) : error;
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

function tooLarge(sizeBytes: number, sizeBytesMax: number): AttachmentError {
  return new AttachmentError({ kind: 'too_large', sizeBytes, sizeBytesMax }, 'it is too large');
}

function discard({ body }: Dispatcher.ResponseData): void {
  // Cutting a body off makes it emit an error that nobody waits for.
  body.on('error', () => undefined).destroy();
}

/** A host that was named as this machine is one; every other must be out there. */
function lookupFor(lookupAll: LookupAll | undefined): SocketLookup {
  const publicOnly = lookupAll ? publicLookup(lookupAll) : lookupPublic;
  return (hostname, options, callback) => {
    if (isLoopbackHost(hostname)) lookup(hostname, options, callback);
    else publicOnly(hostname, options, callback);
  };
}

/** Undici's own errors and those of the socket; a full disk is nothing that the chat could mend. */
function isFromNetwork(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('UND_ERR_') || code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT';
}

/** The error's code or class only: messages of the network layer may hold the link. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  if (code !== '') return code;
  return error instanceof Error ? error.name : 'unknown';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
