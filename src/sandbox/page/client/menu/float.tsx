import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import './menu.css';
import { placeBeside } from './place-beside.ts';

const FOCUSABLE = 'button:not(:disabled), input:not(:disabled)';

/** The screen area, in pixels, above or below which a menu floats. */
export interface Anchor {
  readonly left: number;
  readonly top: number;
  readonly bottom: number;
  /** The button that opens and closes the menu, if there is one. */
  readonly opener?: HTMLElement;
}

/** Returns a button's area as the anchor for its menu. */
export function anchorOf(opener: HTMLElement): Anchor {
  const { left, top, bottom } = opener.getBoundingClientRect();
  return { left, top, bottom, opener };
}

interface FloatProps {
  readonly anchor: Anchor;
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/**
 * A menu that floats over the page, below or above its anchor. Arrow keys move within it; Escape or a press outside
 * closes it.
 */
export function Float({ anchor, label, onClose, children }: FloatProps) {
  const place = useRef<HTMLDialogElement>(null);
  const latest = useRef({ anchor, onClose });
  latest.current = { anchor, onClose };
  useLayoutEffect(() => {
    const box = place.current;
    if (!box) return undefined;
    const before = document.activeElement;
    box.showPopover();
    box.focus();
    const watcher = new ResizeObserver(() => fit(box, latest.current.anchor));
    watcher.observe(box);
    const pressed = ({ target }: Event): void => {
      const isOutside = target instanceof Node && !box.contains(target);
      if (isOutside && !latest.current.anchor.opener?.contains(target)) latest.current.onClose();
    };
    // The menu is closed here, because an `auto` popover would also close when the finger that opened it is lifted.
    document.addEventListener('pointerdown', pressed, { capture: true });
    return () => {
      watcher.disconnect();
      document.removeEventListener('pointerdown', pressed, { capture: true });
      const isFocusHere = box.contains(document.activeElement) || document.activeElement === document.body;
      if (isFocusHere && before instanceof HTMLElement) before.focus();
    };
  }, []);
  useLayoutEffect(() => {
    if (place.current) fit(place.current, anchor);
  }, [anchor]);
  return (
    // Arrow keys move between the choices inside.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={place}
      class="float"
      popover="manual"
      tabIndex={-1}
      aria-label={label}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (relatedTarget instanceof Node && !currentTarget.contains(relatedTarget)) onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          onClose();
        } else if (place.current) moveFocus(event, place.current);
      }}
    >
      {children}
    </dialog>
  );
}

/** Places the menu where there is room, and focuses the first choice as soon as there is one. */
function fit(box: HTMLElement, anchor: Anchor): void {
  placeBeside(box, anchor, 'below');
  if (document.activeElement === box) box.querySelector<HTMLElement>(FOCUSABLE)?.focus();
}

function moveFocus(event: KeyboardEvent, box: HTMLElement): void {
  const all = [...box.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const at = all.findIndex((element) => element === document.activeElement);
  const aim = {
    ArrowDown: (at + 1) % all.length,
    ArrowUp: at <= 0 ? all.length - 1 : at - 1,
    Home: 0,
    End: all.length - 1,
  }[event.key];
  if (aim === undefined) return;
  event.preventDefault();
  all[aim]?.focus();
}
