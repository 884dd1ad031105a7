import { checkCodec } from './check-codec.ts';
import type { Renderer } from './renderer.ts';
import { findFaces } from '../photo/find-faces.ts';
import { photoSwapRenderer } from '../photo/photo-swap-renderer.ts';
import { videoSwapRenderer } from '../video/video-swap-renderer.ts';

/** The kinds of task that a worker thread can do. */
export type RenderKind = 'check_codec' | 'find_faces' | 'photo_swap' | 'video_swap';

export const RENDERERS: Readonly<Record<RenderKind, Renderer<unknown, unknown>>> = {
  check_codec: checkCodec,
  find_faces: findFaces,
  photo_swap: photoSwapRenderer,
  video_swap: videoSwapRenderer,
};
