import type { MediaKind } from '../../base/media-type.ts';
import { examineMatroska } from './clips/matroska.ts';
import { examineMp4 } from './clips/mp4.ts';
import type { Examined } from './examined.ts';
import type { MediaSource } from './media-source.ts';
import { examineGif } from './pictures/gif.ts';
import { examineJpeg } from './pictures/jpeg.ts';
import { examinePng } from './pictures/png.ts';
import { examineWebp } from './pictures/webp.ts';
import { examineAdts } from './sounds/adts.ts';
import { examineFlac } from './sounds/flac.ts';
import { examineFrames } from './sounds/examine-frames.ts';
import { mpegFrame } from './sounds/mpeg-frame.ts';
import { examineOgg } from './sounds/ogg.ts';
import { examineWav } from './sounds/wav.ts';

/**
 * A file format that the bot can clean: the media type and extension with which such a file is passed on, and the
 * function that examines it.
 */
export interface Format {
  readonly kind: MediaKind;
  readonly mime: string;
  readonly extension: string;
  /** The type to use if the container has no video. */
  readonly asSound?: { readonly mime: string; readonly extension: string };
  readonly examine: (source: MediaSource) => Promise<Examined>;
}

const MP4: Format = {
  kind: 'video',
  mime: 'video/mp4',
  extension: 'mp4',
  asSound: { mime: 'audio/mp4', extension: 'm4a' },
  examine: examineMp4,
};
const M4A: Format = { kind: 'audio', mime: 'audio/mp4', extension: 'm4a', examine: examineMp4 };
const MATROSKA: Format = {
  kind: 'video',
  mime: 'video/x-matroska',
  extension: 'mkv',
  asSound: { mime: 'audio/x-matroska', extension: 'mka' },
  examine: examineMatroska,
};
const WEBM_SOUND = { mime: 'audio/webm', extension: 'weba' };
const OGG: Format = { kind: 'audio', mime: 'audio/ogg', extension: 'ogg', examine: examineOgg };
const PNG: Format = { kind: 'image', mime: 'image/png', extension: 'png', examine: examinePng };
const MP3: Format = {
  kind: 'audio',
  mime: 'audio/mpeg',
  extension: 'mp3',
  examine: (source) => examineFrames(source, mpegFrame),
};

/**
 * The formats, by the file extension that the leading bytes indicate. Files in any other format are refused, because
 * their metadata cannot be removed.
 */
export const FORMATS: ReadonlyMap<string, Format> = new Map<string, Format>([
  ['jpg', { kind: 'image', mime: 'image/jpeg', extension: 'jpg', examine: examineJpeg }],
  ['png', PNG],
  ['apng', PNG],
  ['webp', { kind: 'image', mime: 'image/webp', extension: 'webp', examine: examineWebp }],
  ['gif', { kind: 'image', mime: 'image/gif', extension: 'gif', examine: examineGif }],
  ['mp4', MP4],
  ['m4v', MP4],
  ['mov', { ...MP4, mime: 'video/quicktime', extension: 'mov' }],
  ['3gp', { ...MP4, mime: 'video/3gpp', extension: '3gp' }],
  ['webm', { ...MATROSKA, mime: 'video/webm', extension: 'webm', asSound: WEBM_SOUND }],
  ['mkv', MATROSKA],
  ['m4a', M4A],
  ['m4b', M4A],
  ['wav', { kind: 'audio', mime: 'audio/wav', extension: 'wav', examine: examineWav }],
  ['mp3', MP3],
  ['mp2', { ...MP3, extension: 'mp2' }],
  [
    'aac',
    {
      kind: 'audio',
      mime: 'audio/aac',
      extension: 'aac',
      examine: examineAdts,
    },
  ],
  ['flac', { kind: 'audio', mime: 'audio/flac', extension: 'flac', examine: examineFlac }],
  ['ogg', OGG],
  ['opus', OGG],
]);
