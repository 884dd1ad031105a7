import type { ComponentChildren } from 'preact';
import type { PageFile } from '../../message-views.ts';
import { Spoiler } from '../markdown/spoiler.tsx';
import { sizeText } from './size-text.ts';
import { Picture } from './picture.tsx';

/** The files of a message. Pictures, clips and sounds are shown or played in place; other files can be downloaded. */
export function MessageFiles({ files }: { readonly files: readonly PageFile[] }) {
  if (files.length === 0) return null;
  const pictures = files.filter(({ content_type }) => content_type.startsWith('image/'));
  const others = files.filter((file) => !pictures.includes(file));
  return (
    <div class="files">
      {pictures.length > 0 && (
        <div class={pictures.length > 1 ? 'gallery' : 'gallery single'}>
          {pictures.map((file) => (
            <Hidden key={file.id} file={file}>
              <Picture url={file.url} alt={file.description ?? file.filename} {...sizeOf(file)} />
            </Hidden>
          ))}
        </div>
      )}
      {others.map((file) => (
        <Hidden key={file.id} file={file}>
          <OneFile file={file} />
        </Hidden>
      ))}
    </div>
  );
}

interface HiddenProps {
  readonly file: PageFile;
  readonly children: ComponentChildren;
}

function Hidden({ file, children }: HiddenProps) {
  return file.filename.startsWith('SPOILER_') ? <Spoiler isBlock>{children}</Spoiler> : <>{children}</>;
}

function sizeOf({ width, height }: PageFile): { width?: number; height?: number } {
  return width && height ? { width, height } : {};
}

/** A file that is not a picture. */
export function OneFile({ file }: { readonly file: Omit<PageFile, 'id' | 'width' | 'height'> }) {
  const { url, content_type: type, filename, size } = file;
  if (type.startsWith('video/')) {
    return (
      // Members' clips have no captions.
      // oxlint-disable-next-line jsx-a11y/media-has-caption
      <video class="clip" src={url} controls preload="metadata" playsInline aria-label={filename} />
    );
  }
  return (
    <div class="file">
      <p>
        <a href={url} download={filename} target="_blank" rel="noreferrer">
          {filename}
        </a>{' '}
        <span class="quiet small">{sizeText(size)}</span>
      </p>
      {type.startsWith('audio/') && (
        // oxlint-disable-next-line jsx-a11y/media-has-caption
        <audio src={url} controls preload="metadata" aria-label={filename} />
      )}
    </div>
  );
}
