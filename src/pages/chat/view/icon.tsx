/** Drawn for this page, on a field of 24 by 24. */
const PATHS = {
  hash: 'M9 4 7 20M17 4l-2 16M4 9h16M4 15h16',
  speaker: 'M4 9v6h4l5 4V5L8 9H4M16.500 8.500a5 5 0 0 1 0 7M19 6a8.500 8.500 0 0 1 0 12',
  stage: 'M12 4v9M9 7v3a3 3 0 0 0 6 0V7a3 3 0 0 0-6 0M5 12a7 7 0 0 0 14 0M12 19v2',
  at: 'M15.500 12a3.500 3.500 0 1 1-7 0 3.500 3.500 0 0 1 7 0Zm0 0v1.500a2.500 2.500 0 0 0 5 0V12a8.500 8.500 0 1 0-3.400 6.800',
  menu: 'M4 7h16M4 12h16M4 17h16',
  people:
    'M9 11a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7ZM2.500 20a6.500 6.500 0 0 1 13 0M16 4.500a3.500 3.500 0 0 1 0 6.500M18.500 14.500A6.500 6.500 0 0 1 21.500 20',
  wire: 'M3 8h4l3 9 4-12 3 8h4',
  mask: 'M3 8c3.500-1.500 6.500-1 9 .500C14.500 7 17.500 6.500 21 8c0 5-2 9-5.300 9-1.800 0-2.900-1.200-3.700-2.500C11.200 15.800 10.100 17 8.300 17 5 17 3 13 3 8ZM7 11h2.500M14.500 11H17',
} as const;

export type IconName = keyof typeof PATHS;

/** A sign beside words or on a button that has a label; it says nothing itself. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="sign" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
