import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import type { FilePicks } from './file-picks.ts';
import { Gallery } from './gallery.tsx';
import { PickedFiles } from './picked-files.tsx';

interface FilePickerProps {
  readonly picks: FilePicks;
  /** The purpose of the file, as the member reads it. */
  readonly label: string;
  /** The id of the file input, to which its label refers. */
  readonly id: string;
}

/** A field for files, which can be dropped, pasted, or chosen with a button or from the gallery. */
export function FilePicker({ picks, label, id }: FilePickerProps) {
  const input = useRef<HTMLInputElement>(null);
  const [isGalleryOpen, setIsGalleryOpen] = useState(false);
  const [isOver, setIsOver] = useState(false);
  return (
    // Files can be dropped and pasted anywhere inside the field.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <fieldset
      class={isOver ? 'file-picker over' : 'file-picker'}
      aria-label={label}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setIsOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        event.stopPropagation();
        setIsOver(false);
        picks.add([...(event.dataTransfer?.files ?? [])]);
      }}
      onPaste={(event) => takePasted(event, picks)}
    >
      <PickedFiles picks={picks} />
      <div class="file-picker-buttons">
        <button type="button" onClick={() => input.current?.click()}>
          <Icon name="clip" />
          Choose a file
        </button>
        <button type="button" onClick={() => setIsGalleryOpen(true)}>
          <Icon name="gallery" />
          Samples
        </button>
        <span class="small quiet drop-hint">or drop it here</span>
      </div>
      <input
        ref={input}
        id={id}
        type="file"
        hidden
        multiple={picks.max > 1}
        accept={picks.accept}
        aria-label={label}
        onChange={({ currentTarget }) => {
          picks.add([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      {isGalleryOpen && <Gallery picks={picks} label={label} onClose={() => setIsGalleryOpen(false)} />}
    </fieldset>
  );
}

/** Takes the files from a paste. Text is pasted as usual. */
export function takePasted(event: ClipboardEvent, picks: FilePicks): void {
  const files = [...(event.clipboardData?.files ?? [])];
  if (files.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  picks.add(files);
}
