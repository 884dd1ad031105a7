import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { Agent, type Dispatcher, request } from '../base/http-client.ts';
import type { Clock } from '../base/clock.ts';
import { randomId } from '../base/ids.ts';
import { LinkedSignal } from '../base/linked-signal.ts';
import { isLoopbackHost, isPublicAddress, lookupPublic } from '../base/public-address.ts';
import { type Backoff, retry } from '../base/retry.ts';
import { noteWire } from '../base/wire-note.ts';
import { DownloadError } from './download-error.ts';
import { type DownloadLimits, DownloadWatch } from './download-watch.ts';

interface OutputsOptions extends DownloadLimits {
  readonly baseUrl: URL;
  readonly clock: Clock;
  readonly allowInsecureHttp: boolean;
  readonly backoff: Backoff;
}

interface DownloadOptions {
  /**
   * The path of the file, which appears only when it is complete. Its folder must exist. An existing file is replaced.
   */
  readonly toPath: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Downloaded {
  readonly path: string;
  readonly sizeBytes: number;
  /** The hash of the content in lower-case hex. */
  readonly sha256: string;
}

const ATTEMPTS_MAX = 3;
const REPEATABLE: readonly string[] = ['connection_failed', 'cut_short', 'timed_out'];

/**
 * Downloads results by their signed links: without the key, outside the rate limit, and without following redirects. A
 * link may lead to any public host or to the API's host, but never to another address in the operator's network.
 */
export class Outputs implements AsyncDisposable {
  readonly #options: OutputsOptions;
  readonly #own: Agent;
  readonly #foreign: Agent;
  readonly #closing = new AbortController();

  constructor(options: OutputsOptions) {
    this.#options = options;
    const common = { allowH2: false, headersTimeout: 0, bodyTimeout: 0 };
    this.#own = new Agent({ ...common, connect: { timeout: options.connectMs } });
    this.#foreign = new Agent({ ...common, connect: { timeout: options.connectMs, lookup: lookupPublic } });
  }

  /**
   * Downloads `link` into a file, and starts again if the body is cut short. Throws `DownloadError`, or the original
   * error of the disk.
   */
  async download(link: string, options: DownloadOptions): Promise<Downloaded> {
    const url = this.#check(link);
    using linked = new LinkedSignal(options.signal, this.#closing.signal);
    const { signal } = linked;
    const { clock, backoff } = this.#options;
    return await retry(
      { ...backoff, clock, attemptsMax: ATTEMPTS_MAX, retryable: isRepeatable, signal },
      () => this.#try(url, options, signal),
    ).catch((error: unknown) => {
      throw signal.aborted ? new DownloadError('aborted', { cause: signal.reason }) : error;
    });
  }

  /** Ends all downloads as `aborted`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#own.destroy(), this.#foreign.destroy()]);
  }

  #check(link: string): URL {
    const url = URL.parse(link, this.#options.baseUrl.origin);
    if (!url || url.username !== '' || url.password !== '') throw new DownloadError('link_refused');
    if (this.#isOwn(url)) return url;
    const isSecure =
      url.protocol === 'https:' || (url.protocol === 'http:' && this.#options.allowInsecureHttp);
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    const isAddress = url.hostname.startsWith('[') || /^[\d.]+$/.test(url.hostname);
    if (!isSecure || (isAddress && !isPublicAddress(literal))) throw new DownloadError('link_refused');
    return url;
  }

  /** Results may be on the API's host and, if that host is this machine, also on another port. */
  #isOwn(url: URL): boolean {
    const { baseUrl } = this.#options;
    if (url.origin === baseUrl.origin) return true;
    const isHttp = url.protocol === 'http:' || url.protocol === 'https:';
    return isHttp && isLoopbackHost(url.hostname) && isLoopbackHost(baseUrl.hostname);
  }

  async #try(url: URL, options: DownloadOptions, signal: AbortSignal): Promise<Downloaded> {
    const { clock } = this.#options;
    const watch = new DownloadWatch(clock, this.#options, signal);
    const startMs = clock.monotonic();
    try {
      const response = await request(url, {
        dispatcher: this.#isOwn(url) ? this.#own : this.#foreign,
        headers: { accept: '*/*', 'accept-encoding': 'identity' },
        signal: watch.signal,
      });
      watch.alive();
      try {
        checkAnswer(response, options.maxBytes);
        const stored = await store(response.body, options, watch);
        const ms = clock.monotonic() - startMs;
        const { sizeBytes: bytes } = stored;
        noteWire(() => ({ source: 'media_api', what: 'GET a result', status: 200, ms, detail: { bytes } }));
        return stored;
      } finally {
        // An unread body would keep its connection open.
        response.body.on('error', () => undefined).destroy();
      }
    } catch (error) {
      throw watch.explain(error);
    } finally {
      watch.end();
    }
  }
}

function checkAnswer({ statusCode, headers }: Dispatcher.ResponseData, bytesMax: number): void {
  if (statusCode === 403 || statusCode === 404 || statusCode === 410) {
    throw new DownloadError('link_expired', { status: statusCode });
  }
  if (statusCode >= 300 && statusCode < 400) throw new DownloadError('redirected', { status: statusCode });
  if (statusCode !== 200) throw new DownloadError('bad_status', { status: statusCode });
  if (Number(headers['content-length'] ?? 0) > bytesMax) throw new DownloadError('too_large');
}

async function store(
  body: AsyncIterable<Uint8Array>,
  { toPath, maxBytes }: DownloadOptions,
  watch: DownloadWatch,
): Promise<Downloaded> {
  const partPath = `${toPath}.${randomId('part')}`;
  try {
    const written = await writeNew(partPath, body, maxBytes, watch);
    await watch.disk(rename(partPath, toPath));
    return { path: toPath, ...written };
  } catch (error) {
    await rm(partPath, { force: true });
    throw error;
  }
}

async function writeNew(
  path: string,
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
  watch: DownloadWatch,
): Promise<{ sizeBytes: number; sha256: string }> {
  await using handle = await watch.disk(open(path, 'wx', 0o600));
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of body) {
    watch.alive();
    sizeBytes += chunk.length;
    if (sizeBytes > bytesMax) throw new DownloadError('too_large');
    hash.update(chunk);
    await watch.disk(handle.writeFile(chunk));
  }
  if (sizeBytes === 0) throw new DownloadError('empty');
  // The file is flushed before the rename, so that after a power failure the name never exists without its content.
  await watch.disk(handle.sync());
  return { sizeBytes, sha256: hash.digest('hex') };
}

function isRepeatable(error: unknown): boolean {
  if (!(error instanceof DownloadError)) return false;
  return REPEATABLE.includes(error.code) || (error.status ?? 0) >= 500 || error.status === 429;
}
