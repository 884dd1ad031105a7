import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

interface SpoilerProps {
  readonly children: ComponentChildren;
  /** Of a picture or card rather than of words. */
  readonly isBlock?: boolean;
}

/** Something that is hidden until one asks for it. */
export function Spoiler({ children, isBlock = false }: SpoilerProps) {
  const [isShown, setIsShown] = useState(false);
  const kind = isBlock ? 'spoiler block' : 'spoiler';
  if (isShown) return <span class={`${kind} shown`}>{children}</span>;
  return (
    <button type="button" class={kind} aria-label="Spoiler: show" onClick={() => setIsShown(true)}>
      <span class="spoiler-inner" inert>
        {children}
      </span>
    </button>
  );
}
