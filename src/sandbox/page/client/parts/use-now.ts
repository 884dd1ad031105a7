import { useEffect, useState } from 'preact/hooks';

const EVERY_MS = 1_000;

/** Returns this browser's time in epoch milliseconds, updated every second. */
export function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
