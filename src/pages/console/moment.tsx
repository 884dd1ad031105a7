import type { JSX } from 'preact';

/** A moment in the reader's own time: the time of day alone if it is today. */
export function Moment({ at }: { readonly at: number }): JSX.Element {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  const time = date.toLocaleTimeString('en-GB');
  const day = date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
  return (
    <time dateTime={date.toISOString()} title={`${day} ${time}`}>
      {isToday ? time : day}
    </time>
  );
}
