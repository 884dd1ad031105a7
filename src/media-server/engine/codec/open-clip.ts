import type * as mediabunny from 'mediabunny';

/**
 * Opens a file and detects its format by its content. Playlists (HLS) are excluded, because the files and URLs in them
 * would be opened as well. The caller disposes the result.
 */
export function openClip(bunny: typeof mediabunny, path: string): mediabunny.Input {
  const { MP4, QTFF, MATROSKA, WEBM, MPEG_TS, WAVE, OGG, FLAC, MP3, ADTS } = bunny;
  const formats = [MP4, QTFF, MATROSKA, WEBM, MPEG_TS, WAVE, OGG, FLAC, MP3, ADTS];
  return new bunny.Input({ formats, source: new bunny.FilePathSource(path) });
}
