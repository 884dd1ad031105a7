import type { JSX } from 'preact';

/** The logo, which shows a mask. */
export function Logo(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M5 11c4-2 8-1 11 1 3-2 7-3 11-1 0 7-2 11-6 11-3 0-4-3-5-3s-2 3-5 3c-4 0-6-4-6-11Zm4 4.500c1 1.500 3 1.500 4.500.500-1.500-2-3.500-2-4.500-.500Zm14 0c-1-1.500-3-1.500-4.500.500 1.500 1 3.500 1 4.500-.500Z" />
    </svg>
  );
}
