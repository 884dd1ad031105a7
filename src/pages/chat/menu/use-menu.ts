import { useRef, useState } from 'preact/hooks';
import type { Anchor } from './float.tsx';

const LONG_PRESS_MS = 500;
const MOVED_PX = 10;

interface Menu {
  /** Where the menu is open; null while it is closed. */
  readonly anchor: Anchor | null;
  readonly open: (anchor: Anchor) => void;
  readonly close: () => void;
  /** For the element: right click, the keyboard's menu button, long press. */
  readonly handlers: {
    readonly onContextMenu: (event: MouseEvent) => void;
    readonly onTouchStart: (event: TouchEvent) => void;
    readonly onTouchMove: (event: TouchEvent) => void;
    readonly onTouchEnd: () => void;
  };
}

/** A context menu of an element. */
export function useMenu(): Menu {
  const [anchor, setAnchor] = useState<Anchor | null>(null);
  const press = useRef<{ readonly timer: number; readonly x: number; readonly y: number } | null>(null);
  const endPress = (): void => {
    clearTimeout(press.current?.timer);
    press.current = null;
  };
  const openAt = (x: number, y: number): void => setAnchor({ left: x, top: y, bottom: y });
  return {
    anchor,
    open: setAnchor,
    close: () => setAnchor(null),
    handlers: {
      onContextMenu: (event) => {
        // Links, pictures and what was selected keep the browser's own menu.
        const isOwn = event.target instanceof Element && event.target.closest('a, img, video, audio, input');
        if (isOwn || getSelection()?.isCollapsed === false) return;
        event.preventDefault();
        endPress();
        const { clientX, clientY, currentTarget } = event;
        if (clientX > 0 || clientY > 0) openAt(clientX, clientY);
        else if (currentTarget instanceof Element) setAnchor(currentTarget.getBoundingClientRect());
      },
      onTouchStart: ({ touches }) => {
        const [touch] = touches;
        if (!touch) return;
        const { clientX: x, clientY: y } = touch;
        press.current = { timer: window.setTimeout(() => openAt(x, y), LONG_PRESS_MS), x, y };
      },
      onTouchMove: ({ touches }) => {
        const [touch] = touches;
        const { x = 0, y = 0 } = press.current ?? {};
        if (touch && Math.hypot(touch.clientX - x, touch.clientY - y) > MOVED_PX) endPress();
      },
      onTouchEnd: endPress,
    },
  };
}
