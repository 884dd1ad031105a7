import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { placeBeside } from '../menu/place-beside.ts';

interface FieldPopoverProps {
  readonly field: { readonly current: HTMLElement | null };
  readonly children: ComponentChildren;
}

/** Shows content over the page, above a field. The field keeps focus, and the page can still be scrolled. */
export function FieldPopover({ field, children }: FieldPopoverProps) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [box, beside] = [place.current, field.current];
    if (!box || !beside) return undefined;
    const follow = (): void => {
      box.style.width = `${beside.offsetWidth}px`;
      placeBeside(box, beside.getBoundingClientRect(), 'above');
    };
    box.showPopover();
    follow();
    const watcher = new ResizeObserver(follow);
    watcher.observe(box);
    watcher.observe(beside);
    document.addEventListener('scroll', follow, { capture: true, passive: true });
    return () => {
      watcher.disconnect();
      document.removeEventListener('scroll', follow, { capture: true });
    };
  }, [field]);
  return (
    <div ref={place} popover="manual" class="beside">
      {children}
    </div>
  );
}
