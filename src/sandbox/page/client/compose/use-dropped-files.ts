import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Takes files that are dropped anywhere on the page, except on a dialog or on an element that takes dropped files
 * itself. Returns whether files are currently dragged over the page.
 */
export function useDroppedFiles(isTaking: boolean, take: (files: readonly File[]) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    if (!isTaking) return undefined;
    const watch = new AbortController();
    const on = (name: 'dragover' | 'dragleave' | 'drop', listener: (event: DragEvent) => void): void =>
      document.addEventListener(name, listener, { signal: watch.signal });
    on('dragover', (event) => setIsOver(isForPage(event)));
    on('dragleave', ({ relatedTarget }) => {
      if (relatedTarget === null) setIsOver(false);
    });
    on('drop', (event) => {
      setIsOver(false);
      if (isForPage(event)) latest.current([...(event.dataTransfer?.files ?? [])]);
    });
    return () => {
      watch.abort();
      setIsOver(false);
    };
  }, [isTaking]);
  return isOver;
}

function isForPage({ dataTransfer, target, defaultPrevented }: DragEvent): boolean {
  const isInDialog = target instanceof Element && target.closest('dialog') !== null;
  return !defaultPrevented && !isInDialog && hasFiles(dataTransfer);
}

/** Prevents the browser from opening a file that is dropped where no field takes it. */
export function useNoStrayDrops(): void {
  useEffect(() => {
    const watch = new AbortController();
    const stop = (event: DragEvent): void => {
      if (hasFiles(event.dataTransfer)) event.preventDefault();
    };
    addEventListener('dragover', stop, { signal: watch.signal });
    addEventListener('drop', stop, { signal: watch.signal });
    return () => watch.abort();
  }, []);
}

function hasFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') ?? false;
}
