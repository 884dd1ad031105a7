import { isLoopbackHost } from '../base/public-address.ts';
import { webhookPath } from '../bot/web/register-webhooks.ts';
import type { MasqueradeOptions } from './masquerade-options.ts';
import { signingSecrets } from './signing-secrets.ts';

/** Returns the full URL of a path of the web routes. Must not be called before the routes are served. */
type UrlOf = (path: string) => string;

/** The URLs at which the service and members reach the web routes. */
export interface WebAddresses {
  /** Returns the URL to which the service sends a job's webhook. Undefined if jobs are only polled. */
  readonly callbackUrl: ((token: string) => string) | undefined;
  /** Returns the URL of a link for members. Undefined if members cannot reach the web routes. */
  readonly memberUrl: UrlOf | undefined;
}

/** The part that serves the web routes and knows their address. */
interface Served {
  /** The address of Masquerade's own server, once it is listening. */
  readonly url: string | null;
}

/** Derives the addresses from the options. Throws `TypeError` if the options contradict each other. */
export function webAddresses(options: MasqueradeOptions, web: Served): WebAddresses {
  return { callbackUrl: callbackUrl(options, web), memberUrl: memberUrl(options, web) };
}

/** Returns a function for webhook URLs. Undefined if the routes have no URL, or if no secret can verify webhooks. */
function callbackUrl(options: MasqueradeOptions, web: Served): WebAddresses['callbackUrl'] {
  const { http, publicUrl: base, mediaApi } = options;
  const isSigned = signingSecrets(mediaApi).some((secret) => secret !== '');
  const urlOf = urlBelow(base, http, web);
  return urlOf && isSigned ? (token) => urlOf(webhookPath(token)) : undefined;
}

/**
 * Returns a function for members' URLs. A link to this machine is useful only if the chat also runs on this machine.
 */
function memberUrl(options: MasqueradeOptions, web: Served): UrlOf | undefined {
  const { discord, http, memberUrl: base = options.publicUrl } = options;
  const apiUrl = 'apiUrl' in discord ? URL.parse(discord.apiUrl ?? '') : null;
  const isLocalChat = apiUrl !== null && isLoopbackHost(apiUrl.hostname);
  return base === 'loopback' && !isLocalChat ? undefined : urlBelow(base, http, web);
}

function urlBelow(base: string | undefined, http: MasqueradeOptions['http'], web: Served): UrlOf | undefined {
  if (base === undefined) return undefined;
  if (base === 'loopback') {
    if (http && 'fastify' in http) {
      throw new TypeError('Cannot reach the web routes: publicUrl must be the address of the given server');
    }
    return (path) => `${web.url}${path}`;
  }
  if (!/^https?:$/.test(URL.parse(base)?.protocol ?? '')) {
    throw new TypeError('Cannot reach the web routes: publicUrl is not an http or https URL');
  }
  const trimmed = base.replace(/\/+$/, '');
  return (path) => `${trimmed}${path}`;
}
