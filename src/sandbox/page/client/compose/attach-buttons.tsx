import { useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import type { FilePicks } from './file-picks.ts';
import { Gallery } from './gallery.tsx';

/** Buttons that attach files from this machine, or samples, to a message. */
export function AttachButtons({ picks }: { readonly picks: FilePicks }) {
  const input = useRef<HTMLInputElement>(null);
  const [isGalleryOpen, setIsGalleryOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        class="icon"
        aria-label="Attach files"
        title="Attach files"
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
      <button
        type="button"
        class="icon"
        aria-label="Samples"
        title="Samples"
        onClick={() => setIsGalleryOpen(true)}
      >
        <Icon name="gallery" />
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label="Files for the message"
        onChange={({ currentTarget }) => {
          picks.add([...(currentTarget.files ?? [])]);
          currentTarget.value = '';
        }}
      />
      {isGalleryOpen && <Gallery picks={picks} label="the message" onClose={() => setIsGalleryOpen(false)} />}
    </>
  );
}
