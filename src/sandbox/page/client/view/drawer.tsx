import type { ComponentChildren } from 'preact';
import { useModal } from '../parts/use-modal.ts';

/** The drawer that is open over the page on a phone. */
export type DrawerName = 'channels' | 'members' | 'wire' | null;

interface DrawerProps {
  readonly side: 'left' | 'right';
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A side column that slides over the page. A tap outside or the Escape key closes it. Keyboard focus stays inside. */
export function Drawer({ side, label, onClose, children }: DrawerProps) {
  const place = useModal();
  return (
    // A press outside the panel hits the dialog element itself.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={place}
      class={`drawer ${side}`}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === place.current) onClose();
      }}
    >
      <div class="drawer-panel">
        {children}
        <button type="button" class="drawer-close" onClick={onClose}>
          Close
        </button>
      </div>
    </dialog>
  );
}
