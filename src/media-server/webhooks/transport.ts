import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { type LookupFunction, isIP } from 'node:net';
import { callbackify } from 'node:util';
import { Agent } from '../../base/http-client.ts';
import { type CallbackPolicy, hostOf, isAllowedAddress } from './callback-policy.ts';

/** Resolves a host name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

const CONNECT_TIMEOUT_MS = 10_000;
const RESPONSE_HEADERS_SIZE_MAX = 16_384;

/** An outgoing webhook that could not be made; `code` says why in one word. */
class RefusedAddressError extends Error {
  readonly code = 'REFUSED_ADDRESS';
}

/**
 * Posts webhooks. Every attempt opens its own connection, resolves the name anew, refuses forbidden
 * addresses and connects to exactly the addresses it checked, so a name cannot change in between.
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

  /** Sends `body` and returns the status; redirects are not followed and the answer's body is never read. */
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

/** All addresses of the host, or a refusal if there are none or even one is forbidden. */
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

/** Cutting off an unread answer ends its stream with an error that means nothing. */
function ignore(): void {}
