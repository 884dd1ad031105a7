import type { JSX } from 'preact';

const NEAR_MS = 3_600_000;

/** A time in the reader's time zone: without the date if it is today or less than an hour away. */
export function LocalTime({ at }: { readonly at: number }): JSX.Element {
  const date = new Date(at);
  const now = new Date();
  const time = date.toLocaleTimeString('en-GB');
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
  const isNear = Math.abs(at - now.getTime()) < NEAR_MS || date.toDateString() === now.toDateString();
  const isThisYear = date.getFullYear() === now.getFullYear();
  return (
    <time dateTime={date.toISOString()} title={`${day} ${time}`}>
      {isNear ? time : isThisYear ? `${day.slice(0, -5)}, ${time.slice(0, 5)}` : day}
    </time>
  );
}
