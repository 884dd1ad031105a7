import { useEffect, useRef } from 'preact/hooks';

/**
 * Returns a ref for a dialog, and opens the dialog over the page. When it closes, focus returns to the element that had
 * focus before.
 */
export function useModal(): { readonly current: HTMLDialogElement | null } {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = place.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // A dialog that is removed loses focus.
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return place;
}
