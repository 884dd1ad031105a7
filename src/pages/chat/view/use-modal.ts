import { useEffect, useRef } from 'preact/hooks';

/** Opens the dialog that gets this ref over the page. When it goes, the focus is where it was before. */
export function useModal(): { readonly current: HTMLDialogElement | null } {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = place.current;
    dialog?.showModal();
    // A dialog that is only taken away would take the focus along.
    return () => dialog?.close();
  }, []);
  return place;
}
