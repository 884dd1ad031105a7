import type { IncomingMessage } from 'node:http';
import { randomId } from '../../base/ids.ts';
import { equalSecret } from '../../base/signing.ts';

/** Which address a guard keeps. */
interface GuardedAddress {
  /** Where the page is, such as `http://127.0.0.1:4000`; known once its server listens. */
  readonly origin: () => string;
  /** Whether a trusted network reaches it, rather than this machine alone. */
  readonly isOpen: boolean;
}

const COOKIE_LENGTH_MAX = 4096;
const FOREIGN = 'Not for pages of others';
const READING: readonly (string | undefined)[] = ['GET', 'HEAD'];

/**
 * Keeps other web sites away from the control API. A request's `Host` must be the address's own (on loopback: any name of
 * this machine with its port), so that no foreign name can be made to point here. What comes from a browser must come from
 * the page's own origin and bring the cookie that loading the page set. Programs, which send neither `Origin` nor
 * `Sec-Fetch-Site`, may on loopback; a network is for pages alone.
 */
export class PageGuard {
  readonly #address: GuardedAddress;
  readonly #secret = randomId('page');

  constructor(address: GuardedAddress) {
    this.#address = address;
  }

  /** Where the page lives, such as `http://127.0.0.1:4000`. */
  get origin(): string {
    return this.#address.origin();
  }

  /** Whether a trusted network reaches the address. */
  get isOpen(): boolean {
    return this.#address.isOpen;
  }

  /** The `Set-Cookie` of a page session; scripts cannot read it, and other sites cannot send it along. */
  get setCookie(): string {
    const secure = this.origin.startsWith('https:') ? '; Secure' : '';
    return `${this.#cookieName}=${this.#secret}; Path=/control; HttpOnly; SameSite=Strict${secure}`;
  }

  /** Whether `Host` names this address. */
  isOwnHost({ headers: { host = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
    const own = URL.parse(this.origin);
    if (!own) return false;
    if (this.isOpen) return host.toLowerCase() === own.host;
    const match = /^(?:127(?:\.\d{1,3}){3}|localhost)(?::(\d{1,5}))?$/.exec(host);
    return match !== null && (match[1] ?? '80') === (own.port || '80');
  }

  /** Why a request for the control API, or for the page's socket, is refused; undefined when it may pass. */
  refusal(request: Pick<IncomingMessage, 'headers' | 'method'>): string | undefined {
    const { headers, method } = request;
    if (!this.isOwnHost(request)) return "This address is not the sandbox's own";
    const { origin, upgrade } = headers;
    const site = headers['sec-fetch-site'];
    if (origin !== undefined && origin !== this.origin) return FOREIGN;
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return FOREIGN;
    const isSocket = upgrade !== undefined;
    const isProgram = origin === undefined && site === undefined;
    if (isProgram && !isSocket && !this.isOpen) return undefined;
    // Browsers tell the origin of whatever changes something. Over plain http that is all that they tell.
    if (origin === undefined && (isSocket || !READING.includes(method))) return 'Only for the chat page';
    if (!this.#hasCookie(headers)) return 'The page session is over: load the chat page again';
    return undefined;
  }

  /** Cookies know no ports, so that each sandbox of a machine needs a name of its own. */
  get #cookieName(): string {
    const { port, protocol } = new URL(this.origin);
    return `sandbox_page_${port || (protocol === 'https:' ? '443' : '80')}`;
  }

  #hasCookie({ cookie = '' }: IncomingMessage['headers']): boolean {
    if (cookie.length > COOKIE_LENGTH_MAX) return false;
    return cookie.split(';').some((pair) => {
      const [name = '', value = ''] = pair.trim().split('=', 2);
      return name === this.#cookieName && equalSecret(this.#secret, value);
    });
  }
}
