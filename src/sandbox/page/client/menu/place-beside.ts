const GAP_PX = 6;
const EDGE_PX = 8;

/**
 * Places a box on the given side of an area of the screen, or on the other side if the box does not fit
 * and there is more room on the other side.
 */
export function placeBeside(
  box: HTMLElement,
  { left, top, bottom }: Readonly<Record<'left' | 'top' | 'bottom', number>>,
  side: 'above' | 'below',
): void {
  const { width, height } = box.getBoundingClientRect();
  const rooms = { above: top - GAP_PX - EDGE_PX, below: innerHeight - bottom - GAP_PX - EDGE_PX };
  const other = side === 'above' ? 'below' : 'above';
  const fitting = height <= rooms[side] || rooms[side] >= rooms[other] ? side : other;
  const y = fitting === 'below' ? bottom + GAP_PX : top - GAP_PX - height;
  const within = (value: number, size: number, all: number): number =>
    Math.max(EDGE_PX, Math.min(value, all - size - EDGE_PX));
  box.style.left = `${within(left, width, innerWidth)}px`;
  box.style.top = `${within(y, height, innerHeight)}px`;
}
