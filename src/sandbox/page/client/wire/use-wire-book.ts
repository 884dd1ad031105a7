import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { WireBook } from './wire-book.ts';

export const WireContext = createContext<WireBook | null>(null);

/** Returns the page's wire entries. */
export function useWireBook(): WireBook {
  const book = useContext(WireContext);
  if (!book) throw new TypeError('Cannot use the wire outside of its page');
  return book;
}
