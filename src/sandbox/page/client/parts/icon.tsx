/** The icons' paths, drawn for this page in a view box of 24 by 24. */
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
  down: 'M6 9l6 6 6-6',
  outside: 'M14 4h6v6M20 4l-9 9M18 14v5H5V6h5',
  more: 'M6 12h.01M12 12h.01M18 12h.01',
  eye: 'M2.500 12S6 5.500 12 5.500 21.500 12 21.500 12 18 18.500 12 18.500 2.500 12 2.500 12ZM12 14.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5Z',
  clip: 'M19 11.500l-7.500 7.500a4.500 4.500 0 0 1-6.400-6.400L13 4.700a3 3 0 0 1 4.200 4.200l-7.700 7.700a1.500 1.500 0 0 1-2.100-2.100l7-7',
  gallery: 'M4 5h16v14H4ZM4 16l5-5 4 4 3-3 4 4M15.500 9h.01',
  send: 'M4 12 20 4l-5 16-3.500-6.500L4 12Z',
  cross: 'M6 6l12 12M18 6 6 18',
  slash: 'M4 4h16v16H4ZM14 8l-4 8',
} as const;

type IconName = keyof typeof PATHS;

/** An icon beside text or on a labelled button. It has no text alternative of its own. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="sign" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
