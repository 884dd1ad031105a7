import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import './menu.css';

const GAP_PX = 6;
const EDGE_PX = 8;
const FOCUSABLE = 'button:not(:disabled), input:not(:disabled)';

/** What something floats beside: a place on the screen. */
export interface Anchor {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
}

interface FloatProps {
  readonly anchor: Anchor;
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Choices that float over the page, below their anchor or above it. Arrows move, Escape and a press beside it close. */
export function Float({ anchor, label, onClose, children }: FloatProps) {
  const place = useRef<HTMLDialogElement>(null);
  const before = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const box = place.current;
    if (!box) return;
    before.current = document.activeElement;
    box.showPopover();
    moveTo(box, anchor);
    box.querySelector<HTMLElement>(FOCUSABLE)?.focus();
  }, [anchor]);
  useEffect(() => {
    return () => {
      if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus();
    };
  }, []);
  return (
    // The keys move between the choices within.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={place}
      class="float"
      popover="auto"
      aria-label={label}
      onToggle={(event) => {
        if ((event as unknown as ToggleEvent).newState === 'closed') onClose();
      }}
      onKeyDown={(event) => {
        if (place.current) moveFocus(event, place.current);
      }}
    >
      {children}
    </dialog>
  );
}

function moveTo(box: HTMLElement, { left, top, bottom }: Anchor): void {
  const { width, height } = box.getBoundingClientRect();
  const roomBelow = innerHeight - bottom - GAP_PX - EDGE_PX;
  const y = height <= roomBelow || roomBelow > top ? bottom + GAP_PX : top - GAP_PX - height;
  const within = (value: number, size: number, all: number): number =>
    Math.max(EDGE_PX, Math.min(value, all - size - EDGE_PX));
  box.style.left = `${within(left, width, innerWidth)}px`;
  box.style.top = `${within(y, height, innerHeight)}px`;
}

function moveFocus(event: KeyboardEvent, box: HTMLElement): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [...box.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const at = all.findIndex((element) => element === document.activeElement);
  all.at((at + step) % all.length)?.focus();
}
