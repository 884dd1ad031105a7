import { useEffect, useState } from 'preact/hooks';
import type { PageSample, PageSamples } from '../../use-views.ts';
import { read } from '../live/control.ts';
import { sizeText } from '../message/size-text.ts';
import { Icon } from '../parts/icon.tsx';
import { useModal } from '../parts/use-modal.ts';
import type { FilePicks } from './file-picks.ts';

interface GalleryProps {
  readonly picks: FilePicks;
  readonly label: string;
  readonly onClose: () => void;
}

/** The gallery of sample media. Pressing a sample chooses it. */
export function Gallery({ picks, label, onClose }: GalleryProps) {
  const place = useModal();
  const [came, setCame] = useState<PageSamples | null>(null);
  useEffect(() => {
    void read<PageSamples>('/samples')
      .then(setCame)
      .catch(() => setCame({ samples: [], note: 'The samples cannot be read now. Please try again.' }));
  }, []);
  const fits = ({ kind, name }: PageSample): boolean =>
    picks.types.length === 0 || picks.types.some((type) => type === kind || name.endsWith(type));
  return (
    <dialog ref={place} class="gallery-dialog" aria-label={`Samples for ${label}`} onClose={onClose}>
      <header>
        <h2>Samples</h2>
        <button type="button" class="icon" aria-label="Close" onClick={() => place.current?.close()}>
          <Icon name="cross" />
        </button>
      </header>
      <p class="small quiet">{came?.note ?? 'Looking for samples ...'}</p>
      <ul class="samples">
        {came?.samples.filter(fits).map((sample) => (
          <li key={sample.name}>
            <button
              type="button"
              class="sample"
              onClick={() => {
                picks.addSample(sample);
                place.current?.close();
              }}
            >
              <SampleFace sample={sample} />
              <span>{sample.title}</span>
              <span class="small quiet">{sizeText(sample.size)}</span>
            </button>
          </li>
        ))}
      </ul>
    </dialog>
  );
}

function SampleFace({ sample: { kind, url } }: { readonly sample: PageSample }) {
  if (kind === 'image') return <img class="sample-face" src={url} alt="" />;
  if (kind === 'video') return <video class="sample-face" src={url} muted preload="metadata" tabIndex={-1} />;
  return (
    <span class="sample-face">
      <Icon name="speaker" />
    </span>
  );
}
