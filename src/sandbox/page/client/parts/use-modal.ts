import { useEffect, useRef } from 'preact/hooks';

/**
 * Opens the dialog with this ref over the page. When it closes, the focus returns to the element that had it before.
 */
export function useModal(): { readonly current: HTMLDialogElement | null } {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = place.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // A dialog that is removed loses the focus.
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return place;
}
