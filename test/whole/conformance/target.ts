import { isLoopbackHost } from '../../../src/base/public-address.ts';
import { Caller, Pace } from './caller.ts';
import type { ConformanceOptions } from './options.ts';

/** The service under test, and clients for it. */
export interface Target {
  readonly options: ConformanceOptions;
  /** A client with the key. */
  readonly api: Caller;
  /** A client without a key. */
  readonly anonymous: Caller;
  /** Returns a client with another key. */
  withKey(key: string): Caller;
  /** Where webhooks can be received, or why they cannot. */
  readonly callbacks: { readonly host: string } | { readonly missing: string };
}

export function openTarget(options: ConformanceOptions): Target {
  const { baseUrl, key, requestsPerMinute } = options;
  const pace = new Pace(requestsPerMinute);
  return {
    options,
    api: new Caller(baseUrl, key, pace),
    anonymous: new Caller(baseUrl),
    withKey: (other) => new Caller(baseUrl, other),
    callbacks: findCallbacks(options),
  };
}

function findCallbacks({ baseUrl, callbackHost, secret }: ConformanceOptions): Target['callbacks'] {
  if (secret === undefined) return { missing: 'no --secret to verify signatures with' };
  if (callbackHost !== undefined) return { host: callbackHost };
  if (isLoopbackHost(new URL(baseUrl).hostname)) return { host: '127.0.0.1' };
  return { missing: 'no --callback-host at which the service reaches this machine' };
}
