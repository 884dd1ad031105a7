import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { LiveSession } from './live-session.ts';

export const SessionContext: ReturnType<typeof createContext<LiveSession | null>> =
  createContext<LiveSession | null>(null);

/** Returns this page's session. */
export function useSession(): LiveSession {
  const session = useContext(SessionContext);
  if (!session) throw new TypeError('Cannot use a session outside of the page');
  return session;
}
