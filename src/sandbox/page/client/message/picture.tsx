import { useState } from 'preact/hooks';
import { useModal } from '../parts/use-modal.ts';

interface PictureProps {
  readonly url: string;
  readonly alt: string;
  readonly width?: number;
  readonly height?: number;
}

/** A picture that opens enlarged over the page. */
export function Picture({ url, alt, width, height }: PictureProps) {
  const [isLarge, setIsLarge] = useState(false);
  return (
    <>
      <button type="button" class="picture" aria-label={`Enlarge: ${alt}`} onClick={() => setIsLarge(true)}>
        <img src={url} alt={alt} loading="lazy" {...(width && height ? { width, height } : {})} />
      </button>
      {isLarge && <Enlarged url={url} alt={alt} onClose={() => setIsLarge(false)} />}
    </>
  );
}

interface EnlargedProps extends Pick<PictureProps, 'url' | 'alt'> {
  readonly onClose: () => void;
}

function Enlarged({ url, alt, onClose }: EnlargedProps) {
  const place = useModal();
  return (
    // A press on the area around the picture hits the dialog element itself. Escape and a button close the picture too.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={place}
      class="enlarged"
      aria-label={alt}
      onClose={onClose}
      onClick={({ target, currentTarget }) => {
        if (target === currentTarget) onClose();
      }}
    >
      <img src={url} alt={alt} />
      <p>
        <a href={url} target="_blank" rel="noreferrer">
          Open in a tab
        </a>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
    </dialog>
  );
}
