import type * as mediabunny from 'mediabunny';

/**
 * Opens a file whose format is told by its content. Playlists (HLS) are left out: they name further files and
 * addresses, which would be opened as well. The caller disposes it.
 */
export function openClip(bunny: typeof mediabunny, path: string): mediabunny.Input {
  const { MP4, QTFF, MATROSKA, WEBM, MPEG_TS, WAVE, OGG, FLAC, MP3, ADTS } = bunny;
  const formats = [MP4, QTFF, MATROSKA, WEBM, MPEG_TS, WAVE, OGG, FLAC, MP3, ADTS];
  return new bunny.Input({ formats, source: new bunny.FilePathSource(path) });
}
