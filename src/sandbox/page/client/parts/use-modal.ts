import { useEffect, useRef } from 'preact/hooks';

/** Opens the dialog that gets this ref over the page. When it goes, the focus is where it was before. */
export function useModal(): { readonly current: HTMLDialogElement | null } {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = place.current;
    const before = document.activeElement;
    dialog?.showModal();
    return () => {
      dialog?.close();
      // A dialog that is taken away takes the focus along.
      const isLost = document.activeElement === null || document.activeElement === document.body;
      if (isLost && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return place;
}
