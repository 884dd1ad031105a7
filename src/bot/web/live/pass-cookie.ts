const NAME = 'masquerade_live';
const KEY = /^[A-Za-z0-9_-]{43}$/;

/** Returns whether `text` has the format of a live swap's key or pass. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * Returns the cookie that opens a page's socket. Browsers send it only to paths below the page's path, and scripts
 * cannot read it.
 */
export function passCookie(pass: string, pageUrl: URL): string {
  const secure = pageUrl.protocol === 'https:' ? '; Secure' : '';
  return `${NAME}=${pass}; Path=${pageUrl.pathname}; HttpOnly; SameSite=Strict${secure}`;
}

/** Returns the pass in a `Cookie` header, or `undefined`. */
export function passOf(header: string | undefined): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [name, value = ''] = part.trim().split('=', 2);
    if (name === NAME && isKey(value)) return value;
  }
  return undefined;
}
