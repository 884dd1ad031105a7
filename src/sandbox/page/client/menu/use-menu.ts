import { useRef, useState } from 'preact/hooks';
import { type Anchor, anchorOf } from './float.tsx';

const LONG_PRESS_MS = 500;
const MOVED_PX = 10;

interface Menu {
  /** The area beside which the menu is open; null while it is closed. */
  readonly anchor: Anchor | null;
  /** Opens the menu at a button, or closes it if it is open there. */
  readonly toggle: (opener: HTMLElement) => void;
  readonly close: () => void;
  /** Handlers for the element. They open the menu on a right click, a long press or the keyboard's menu key. */
  readonly handlers: {
    readonly onContextMenu: (event: MouseEvent) => void;
    readonly onTouchStart: (event: TouchEvent) => void;
    readonly onTouchMove: (event: TouchEvent) => void;
    readonly onTouchEnd: (event: TouchEvent) => void;
    readonly onTouchCancel: () => void;
  };
}

/** Returns the context menu of an element. */
export function useMenu(): Menu {
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const press = useRef<{ readonly timer: number; readonly x: number; readonly y: number } | null>(null);
  const endPress = (): void => {
    clearTimeout(press.current?.timer);
    press.current = null;
  };
  /** Whether the finger that opened the menu is still down. */
  const isHeld = useRef(false);
  const openAt = (x: number, y: number): void => setAnchor({ left: x, top: y, bottom: y });
  return {
    anchor,
    toggle: (opener) => setAnchor(anchor?.opener === opener ? null : anchorOf(opener)),
    close: () => setAnchor(null),
    handlers: {
      onContextMenu: (event) => {
        if (hasOwnMenu(event)) return;
        event.preventDefault();
        endPress();
        const { clientX, clientY, currentTarget } = event;
        if (clientX > 0 || clientY > 0) openAt(clientX, clientY);
        else if (currentTarget instanceof Element) setAnchor(currentTarget.getBoundingClientRect());
      },
      onTouchStart: (event) => {
        endPress();
        isHeld.current = false;
        const [touch, second] = event.touches;
        if (!touch || second || hasOwnMenu(event)) return;
        const { clientX: x, clientY: y } = touch;
        const timer = window.setTimeout(() => {
          isHeld.current = true;
          openAt(x, y);
        }, LONG_PRESS_MS);
        press.current = { timer, x, y };
      },
      onTouchMove: ({ touches }) => {
        const [touch] = touches;
        const { x = 0, y = 0 } = press.current ?? {};
        if (touch && Math.hypot(touch.clientX - x, touch.clientY - y) > MOVED_PX) endPress();
      },
      onTouchEnd: (event) => {
        endPress();
        // Lifting the finger must not count as a press on the element below the menu.
        if (isHeld.current) event.preventDefault();
        isHeld.current = false;
      },
      onTouchCancel: endPress,
    },
  };
}

/** Whether the browser's own menu opens instead: on links, media and input fields, and while text is selected. */
function hasOwnMenu({ target }: Event): boolean {
  const isOwn = target instanceof Element && target.closest('a, img, video, audio, input') !== null;
  return isOwn || getSelection()?.isCollapsed === false;
}
