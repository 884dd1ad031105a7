// oxlint-disable import/default -- Vite builds a module that is imported with this query separately; the import is its URL.
import captureUrl from './capture-worklet.ts?worker&url';
import playoutUrl from './playout-worklet.ts?worker&url';

/** The URLs of the two worklets. */
export const WORKLETS = { capture: captureUrl, playout: playoutUrl } as const;
