import type { IncomingMessage } from 'node:http';
import { randomId } from '../../base/ids.ts';
import { equalSecret } from '../../base/signing.ts';

/** The address that a guard protects. */
interface GuardedAddress {
  /** The origin of the page, such as `http://127.0.0.1:4000`. It is known once its server is listening. */
  readonly origin: () => string;
  /** Whether the address is reachable from a trusted network, and not only from this machine. */
  readonly isOpen: boolean;
}

const COOKIE_LENGTH_MAX = 4096;
const FOREIGN = 'Not for pages of others';
const READING: readonly (string | undefined)[] = ['GET', 'HEAD'];

/**
 * Prevents other web sites from using the control API. A request's `Host` must be the host of this address (on
 * loopback: `localhost` or any loopback address, with the port), so that no foreign host name can point here. A
 * browser's request must come from the page's own origin and include the cookie that was set when the page was loaded.
 * Programs send neither `Origin` nor `Sec-Fetch-Site`; they have access on loopback, but not from a network.
 */
export class PageGuard {
  readonly #address: GuardedAddress;
  readonly #secret = randomId('page');

  constructor(address: GuardedAddress) {
    this.#address = address;
  }

  /** The origin of the page, such as `http://127.0.0.1:4000`. */
  get origin(): string {
    return this.#address.origin();
  }

  /** Whether the address is reachable from a trusted network. */
  get isOpen(): boolean {
    return this.#address.isOpen;
  }

  /**
   * The `Set-Cookie` header of a page session. Scripts cannot read the cookie, and other sites cannot cause it to be
   * sent.
   */
  get setCookie(): string {
    const secure = this.origin.startsWith('https:') ? '; Secure' : '';
    return `${this.#cookieName}=${this.#secret}; Path=/control; HttpOnly; SameSite=Strict${secure}`;
  }

  /** Whether the request's `Host` header names this address. */
  isOwnHost({ headers: { host = '' } }: Pick<IncomingMessage, 'headers'>): boolean {
    const own = URL.parse(this.origin);
    if (!own) return false;
    if (this.isOpen) return host.toLowerCase() === own.host;
    const match = /^(?:127(?:\.\d{1,3}){3}|localhost)(?::(\d{1,5}))?$/.exec(host);
    return match !== null && (match[1] ?? '80') === (own.port || '80');
  }

  /** Returns why a request for the control API or for the page's socket is rejected, or undefined if it is allowed. */
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
    // Browsers send `Origin` with every request that changes data. Without https, they may send no `Sec-Fetch-Site`.
    if (origin === undefined && (isSocket || !READING.includes(method))) return 'Only for the chat page';
    if (!this.#hasCookie(headers)) return 'The page session is over: load the chat page again';
    return undefined;
  }

  /** Cookies are shared between ports, so each sandbox on a machine needs its own cookie name. */
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
