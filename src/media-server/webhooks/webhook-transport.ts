import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { type LookupFunction, isIP } from 'node:net';
import { callbackify } from 'node:util';
import { Agent } from '../../base/http-client.ts';
import { type CallbackPolicy, hostOf, isAllowedAddress } from './callback-policy.ts';

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const CONNECT_TIMEOUT_MS = 10_000;
const RESPONSE_HEADERS_SIZE_MAX = 16_384;

/** The address of a webhook is not allowed; `code` is a word for the log. */
class RefusedAddressError extends Error {
  readonly code = 'REFUSED_ADDRESS';
}

/**
 * Posts webhooks. Every attempt opens its own connection, resolves the name again, rejects forbidden addresses and
 * connects only to the addresses that it checked, so that a name cannot change its addresses in between.
 */
export class WebhookTransport implements AsyncDisposable {
  readonly #agent: Agent;
  readonly #policy: CallbackPolicy;

  constructor(policy: CallbackPolicy, resolve: Resolve = resolveBySystem) {
    this.#policy = policy;
    this.#agent = new Agent({
      allowH2: false,
      pipelining: 0,
      maxHeaderSize: RESPONSE_HEADERS_SIZE_MAX,
      connect: { timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(policy, resolve) },
    });
  }

  /** Sends `body` and returns the status. Redirects are not followed, and the response body is never read. */
  async post(
    url: string,
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<number> {
    const target = new URL(url);
    const host = hostOf(target);
    if (isIP(host) && !isAllowedAddress(host, host, this.#policy)) throw refused();
    const response = await this.#agent.request({
      origin: target.origin,
      path: target.pathname + target.search,
      method: 'POST',
      headers,
      body,
      signal,
      reset: true,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    response.body.on('error', ignore).destroy();
    return response.statusCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}

function guardedLookup(policy: CallbackPolicy, resolve: Resolve): LookupFunction {
  const lookup = callbackify((host: string) => resolveAllowed(host, policy, resolve));
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname.replace(/\.$/, ''), (error, addresses) => {
      if (error) callback(error, '', 0);
      else if (options.all) callback(null, addresses);
      else callback(null, addresses[0].address, addresses[0].family);
    });
  };
}

/** Returns all addresses of the host. Throws if there are none or if any of them is forbidden. */
async function resolveAllowed(
  host: string,
  policy: CallbackPolicy,
  resolve: Resolve,
): Promise<[LookupAddress, ...LookupAddress[]]> {
  const [first, ...others] = await resolve(host);
  if (!first || ![first, ...others].every(({ address }) => isAllowedAddress(address, host, policy))) {
    throw refused();
  }
  return [first, ...others];
}

function resolveBySystem(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });
}

function refused(): RefusedAddressError {
  return new RefusedAddressError('Cannot deliver: the address is not allowed');
}

/** Closing an unread response ends its stream with an error that has no meaning. */
function ignore(): void {}
