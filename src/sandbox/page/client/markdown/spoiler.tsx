import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface SpoilerProps {
  readonly children: ComponentChildren;
  /** Whether the spoiler hides a picture or card rather than text. */
  readonly isBlock?: boolean;
}

/** Content that is hidden until the member opens it. */
export function Spoiler({ children, isBlock = false }: SpoilerProps) {
  const [isShown, setIsShown] = useState(false);
  const shown = useRef<HTMLSpanElement>(null);
  const kind = isBlock ? 'spoiler block' : 'spoiler';
  useEffect(() => {
    // The button that had focus no longer exists.
    if (isShown) shown.current?.focus({ preventScroll: true });
  }, [isShown]);
  if (isShown) {
    return (
      <span ref={shown} class={`${kind} shown`} tabIndex={-1}>
        {children}
      </span>
    );
  }
  return (
    <button type="button" class={kind} aria-label="Spoiler: show" onClick={() => setIsShown(true)}>
      <span class="spoiler-inner" inert>
        {children}
      </span>
    </button>
  );
}
