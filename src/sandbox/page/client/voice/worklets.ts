// oxlint-disable import/default -- Vite builds modules imported with this query separately; the import is the URL.
import captureUrl from './capture-worklet.ts?worker&url';
import playoutUrl from './playout-worklet.ts?worker&url';

/** The URLs of the two worklets. */
export const WORKLETS = { capture: captureUrl, playout: playoutUrl } as const;
