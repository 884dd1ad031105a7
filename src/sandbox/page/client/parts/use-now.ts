import { useEffect, useState } from 'preact/hooks';

const EVERY_MS = 1_000;

/** This browser's time in epoch milliseconds, anew every second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
