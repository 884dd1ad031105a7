import { useRef } from 'preact/hooks';

interface PictureProps {
  readonly url: string;
  readonly alt: string;
  readonly width?: number;
  readonly height?: number;
}

/** A picture that opens over the page. */
export function Picture({ url, alt, width, height }: PictureProps) {
  const large = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button
        type="button"
        class="picture"
        aria-label={`Enlarge: ${alt}`}
        onClick={() => large.current?.showModal()}
      >
        <img src={url} alt={alt} loading="lazy" {...(width && height ? { width, height } : {})} />
      </button>
      <dialog ref={large} class="enlarged" aria-label={alt}>
        <img src={url} alt={alt} />
        <p>
          <a href={url} target="_blank" rel="noreferrer">
            Open in a tab
          </a>
          <button type="button" onClick={() => large.current?.close()}>
            Close
          </button>
        </p>
      </dialog>
    </>
  );
}
