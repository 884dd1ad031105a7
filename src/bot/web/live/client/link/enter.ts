import type { EnterRefusal, EnterRequest } from '../../live-wire.ts';

const WAIT_MS = 15_000;

/** `entered`: the browser now has the cookie that opens the socket. `unreachable`: the server did not answer. */
export type Entered = 'entered' | 'unreachable' | EnterRefusal['error']['code'];

/**
 * Returns the key in the page's address, or null if there is none. Removes it from the address, so that it is neither
 * copied nor stored with the address.
 */
export function takeKey(): string | null {
  const key = location.hash.slice(1);
  if (key === '') return null;
  history.replaceState(null, '', location.pathname + location.search);
  return key;
}

/** Exchanges a link's key, which works only once, for the cookie that opens the socket. */
export async function enter(key: string): Promise<Entered> {
  const body: EnterRequest = { key };
  try {
    const answer = await fetch('enter', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(WAIT_MS),
    });
    if (answer.ok) return 'entered';
    const { error } = (await answer.json()) as EnterRefusal;
    return error.code;
  } catch {
    return 'unreachable';
  }
}

/** Returns whether the server answers. If it does, a socket that failed to open was refused; browsers hide that. */
export async function isReachable(): Promise<boolean> {
  try {
    return (await fetch('.', { signal: AbortSignal.timeout(WAIT_MS) })).ok;
  } catch {
    return false;
  }
}
