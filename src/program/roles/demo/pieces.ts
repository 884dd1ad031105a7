import type { Capability } from '../../../media-api/wire.ts';

/** A job with a clip, and the properties that its result must have. */
export interface Piece {
  /** The name, without its extension, of the files that the demo saves. */
  readonly name: string;
  readonly title: string;
  readonly capability: Capability;
  /** The name of the command, with its slash. */
  readonly command: string;
  /** The names of sample media files, by option. */
  readonly files: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, string | number>>;
  /** The sample whose length the result must have, or null if a script determines the length. */
  readonly asLongAs: string | null;
  /** The length of the result's shorter side in pixels, or of its longer side with `isLonger`. */
  readonly side: number;
  readonly isLonger?: boolean;
  /** A picture of the person whose face the result must show. */
  readonly person: string;
  /** The clip of the person whose face the result must no longer show, or null if there is none. */
  readonly before: string | null;
}

/** Every kind of job except Photo Swap. */
export const PIECES: readonly Piece[] = [
  {
    name: 'video-swap',
    title: 'Video Swap: another face in a clip',
    capability: 'video_swap',
    command: '/video-swap',
    files: { video: 'talking-woman-512.mp4', face: 'portrait-woman-curly-hair.jpg' },
    values: { resolution: 480 },
    asLongAs: 'talking-woman-512.mp4',
    side: 480,
    person: 'portrait-woman-curly-hair.jpg',
    before: 'talking-woman-512.mp4',
  },
  {
    name: 'identity-swap',
    title: 'Identity Swap: the whole head, hair included',
    capability: 'identity_swap',
    command: '/identity-swap',
    files: { video: 'talking-man-640x360.mp4', character: 'portrait-man-elderly.jpg' },
    values: { resolution: '1k' },
    asLongAs: 'talking-man-640x360.mp4',
    side: 1024,
    isLonger: true,
    person: 'portrait-man-elderly.jpg',
    before: 'talking-man-640x360.mp4',
  },
  {
    name: 'motion-transfer',
    title: 'Motion Transfer: a portrait moves as somebody else does',
    capability: 'motion_transfer',
    command: '/motion-transfer',
    files: { image: 'portrait-man-dark-hair.jpg', motion: 'talking-woman-512.mp4' },
    values: {},
    asLongAs: 'talking-woman-512.mp4',
    side: 768,
    person: 'portrait-man-dark-hair.jpg',
    before: 'talking-woman-512.mp4',
  },
  {
    name: 'avatar',
    title: 'Avatar: a portrait speaks a script',
    capability: 'avatar',
    command: '/avatar',
    files: { image: 'portrait-woman-brown-hair.jpg' },
    values: {
      script: 'Hello, and welcome to the film club. Tonight we watch a very old comedy. Bring a cushion!',
      resolution: 480,
    },
    asLongAs: null,
    side: 480,
    person: 'portrait-woman-brown-hair.jpg',
    before: null,
  },
  {
    name: 'lip-sync',
    title: 'Lip Sync: other words in the same mouth',
    capability: 'lip_sync',
    command: '/lip-sync',
    files: { video: 'talking-man-640x360.mp4', audio: 'speech-man-48k.wav' },
    values: {},
    asLongAs: 'speech-man-48k.wav',
    side: 360,
    person: 'portrait-man-short-hair.png',
    before: null,
  },
];
