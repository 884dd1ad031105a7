import type { Capability } from '../../media-api/wire.ts';

/** A job of the demo and what its result is held against. */
export interface Piece {
  /** Of the files it leaves behind. */
  readonly name: string;
  readonly title: string;
  readonly capability: Capability;
  /** Sample media by the field that takes their key. */
  readonly inputs: Readonly<Record<string, string>>;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The sample whose length the result must have; a script has none. */
  readonly asLongAs: string | null;
  /** Shorter side of the result in pixels, or longer where `isLonger`. */
  readonly side: number;
  readonly isLonger?: boolean;
  /** The picture of the person who must be seen. */
  readonly person: string;
  /** The clip of the person who must not be seen any more. */
  readonly before: string | null;
}

/** Everything beside Photo Swap, which the bot shows. */
export const PIECES: readonly Piece[] = [
  {
    name: 'video-swap',
    title: 'Video Swap: another face in a clip',
    capability: 'video_swap',
    inputs: { video_key: 'talking-woman-512.mp4', face_key: 'portrait-woman-curly-hair.jpg' },
    parameters: { output_resolution_p: 480 },
    asLongAs: 'talking-woman-512.mp4',
    side: 480,
    person: 'portrait-woman-curly-hair.jpg',
    before: 'talking-woman-512.mp4',
  },
  {
    name: 'identity-swap',
    title: 'Identity Swap: the whole head, hair included',
    capability: 'identity_swap',
    inputs: { video_key: 'talking-man-640x360.mp4', character_key: 'portrait-man-elderly.jpg' },
    parameters: { resolution: '1k' },
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
    inputs: { image_key: 'portrait-man-dark-hair.jpg', motion_video_key: 'talking-woman-512.mp4' },
    parameters: {},
    asLongAs: 'talking-woman-512.mp4',
    side: 768,
    person: 'portrait-man-dark-hair.jpg',
    before: 'talking-woman-512.mp4',
  },
  {
    name: 'avatar',
    title: 'Avatar: a portrait speaks a script',
    capability: 'avatar',
    inputs: { image_key: 'portrait-woman-brown-hair.jpg' },
    parameters: {
      script: 'Hello, and welcome to the film club. Tonight we watch a very old comedy. Bring a cushion!',
      output_resolution_p: 480,
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
    inputs: { video_key: 'talking-man-640x360.mp4', audio_key: 'speech-man-48k.wav' },
    parameters: {},
    asLongAs: 'speech-man-48k.wav',
    side: 360,
    person: 'portrait-man-short-hair.png',
    before: null,
  },
];
