import type { IncomingHttpHeaders } from 'node:http';
import { randomId } from '../../base/ids.ts';
import { equalSecret } from '../../base/signing.ts';

const COOKIE_LENGTH_MAX = 4096;

/**
 * Keeps other web sites away from the control API. A request's `Host` must be a loopback name with the sandbox's own port, so
 * that no foreign name can be made to point here. What comes from a browser (it says so by `Origin` or `Sec-Fetch-Site`)
 * must come from the page's own origin and bring the cookie that loading the page set. Programs send neither header.
 */
export class PageGuard {
  readonly #authority: () => string;
  readonly #secret = randomId('page');

  /** `authority` is the sandbox's own `host:port`; known once it listens. */
  constructor(authority: () => string) {
    this.#authority = authority;
  }

  /** Where the page lives, such as `http://127.0.0.1:4000`. */
  get origin(): string {
    return `http://${this.#authority()}`;
  }

  /** The `Set-Cookie` of a page session; scripts cannot read it, and other sites cannot send it along. */
  get setCookie(): string {
    return `${this.#cookieName}=${this.#secret}; Path=/control; HttpOnly; SameSite=Strict`;
  }

  /** Whether `Host` names this machine and the sandbox's port. */
  isOwnHost(headers: IncomingHttpHeaders): boolean {
    const { port } = new URL(this.origin);
    const match = /^(?:127(?:\.\d{1,3}){3}|localhost)(?::(\d{1,5}))?$/.exec(headers.host ?? '');
    return match !== null && (match[1] ?? '80') === (port || '80');
  }

  /** Why a request for the control API is refused; undefined when it may pass. `mustBePage`: programs are refused too. */
  refusal(
    headers: IncomingHttpHeaders,
    { mustBePage = false }: { readonly mustBePage?: boolean } = {},
  ): string | undefined {
    if (!this.isOwnHost(headers)) return "This address is not the sandbox's own";
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    const isBrowser = origin !== undefined || site !== undefined;
    if (!isBrowser) return mustBePage ? 'Only for the chat page' : undefined;
    if (origin !== undefined && origin !== this.origin) return 'Not for pages of others';
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'Not for pages of others';
    if (!this.#hasCookie(headers)) return 'The page session is over: load the chat page again';
    return undefined;
  }

  /** Cookies know no ports, so that each sandbox of a machine needs a name of its own. */
  get #cookieName(): string {
    return `sandbox_page_${new URL(this.origin).port || '80'}`;
  }

  #hasCookie({ cookie = '' }: IncomingHttpHeaders): boolean {
    if (cookie.length > COOKIE_LENGTH_MAX) return false;
    return cookie.split(';').some((pair) => {
      const [name = '', value = ''] = pair.trim().split('=', 2);
      return name === this.#cookieName && equalSecret(this.#secret, value);
    });
  }
}
