// oxlint-disable import/default -- Vite builds what is imported with this query by itself, and gives its address.
import captureUrl from './capture-worklet.ts?worker&url';
import playoutUrl from './playout-worklet.ts?worker&url';

/** Where the two worklets are. */
export const WORKLETS = { capture: captureUrl, playout: playoutUrl } as const;
