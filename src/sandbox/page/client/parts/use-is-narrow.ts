import { useEffect, useState } from 'preact/hooks';

const NARROW = '(max-width: 760px)';

/** Returns whether the page is as narrow as on a phone. */
export function useIsNarrow(): boolean {
  const [isNarrow, setIsNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const changed = (): void => setIsNarrow(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return isNarrow;
}
