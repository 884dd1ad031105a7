import { sizeText } from '../message/size-text.ts';
import { Icon } from '../parts/icon.tsx';
import type { FilePicks, PickedFile } from './file-picks.ts';

/** The list of the chosen files. */
export function PickedFiles({ picks }: { readonly picks: FilePicks }) {
  const files = picks.files.value;
  if (files.length === 0) return null;
  return (
    <ul class="picked" aria-label="Chosen files">
      {files.map((file) => (
        <li key={file.key} class={file.problem === null ? 'picked-file' : 'picked-file broken'}>
          {file.preview === null ? <Icon name="clip" /> : <img src={file.preview} alt="" />}
          <span class="picked-words">
            <span>{file.name}</span>
            <span class="small quiet">{standing(file)}</span>
          </span>
          <button
            type="button"
            class="icon"
            aria-label={`Remove ${file.name}`}
            onClick={() => picks.remove(file.key)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function standing({ input, problem, sizeBytes }: PickedFile): string {
  if (problem !== null) return problem;
  return input === null ? 'On its way ...' : sizeText(sizeBytes);
}
