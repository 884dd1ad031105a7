import { isLoopbackHost } from '../base/public-address.ts';
import type { MasqueradeOptions } from './masquerade-options.ts';
import { webhookPath } from '../bot/web/webhooks.ts';
import type { WebPart } from './web-part.ts';
import { signingSecrets } from './signing-secrets.ts';

/** Without a way in, or without a secret to check by, no webhook is asked for. */
export function callbackUrl(
  options: MasqueradeOptions,
  web: WebPart,
): ((token: string) => string) | undefined {
  const isSigned = signingSecrets(options.mediaApi).some((secret) => secret !== '');
  const { http, publicUrl: given } = options;
  const toUrl = publicUrl({ http, publicUrl: given }, web);
  return toUrl && isSigned ? (token) => toUrl(webhookPath(token)) : undefined;
}

/** What members are linked to. A link to this machine is of use only where the chat is on it too. */
export function memberUrl(options: MasqueradeOptions, web: WebPart): ((path: string) => string) | undefined {
  const { discord, memberUrl: given = options.publicUrl } = options;
  const apiUrl = 'apiUrl' in discord ? URL.parse(discord.apiUrl ?? '') : null;
  const isLocalChat = apiUrl !== null && isLoopbackHost(apiUrl.hostname);
  return given === 'loopback' && !isLocalChat
    ? undefined
    : publicUrl({ http: options.http, publicUrl: given }, web);
}

interface Addressed {
  readonly http: MasqueradeOptions['http'] | undefined;
  readonly publicUrl: string | undefined;
}

/** How the outside reaches a path of the web part; undefined when it does not. */
function publicUrl(options: Addressed, web: WebPart): ((path: string) => string) | undefined {
  const { publicUrl: given, http } = options;
  if (given === undefined) return undefined;
  if (given === 'loopback' && http && 'fastify' in http) {
    throw new TypeError(
      'Cannot reach the web routes: publicUrl must be the address of the server that was given',
    );
  }
  if (given !== 'loopback' && !/^https?:$/.test(URL.parse(given)?.protocol ?? '')) {
    throw new TypeError('Cannot reach the web routes: publicUrl is not an http or https URL');
  }
  const base = given.replace(/\/+$/, '');
  return (path) => `${given === 'loopback' ? web.url() : base}${path}`;
}
