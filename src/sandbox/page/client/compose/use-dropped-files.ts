import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Takes the files that are dropped anywhere on the page but into a dialog, or a place that takes them itself. Whether some
 * are being held over it.
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

/** A file that is dropped where nobody takes it is not opened in the page's place. */
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
