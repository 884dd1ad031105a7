import type { Renderer } from './renderer.ts';
import { avatarRenderer } from '../avatar/avatar-renderer.ts';
import { motionRenderer } from '../motion/motion-renderer.ts';
import { findFaces } from '../photo/find-faces.ts';
import { lipSyncRenderer } from '../lip/lip-sync-renderer.ts';
import { photoSwapRenderer } from '../photo/photo-swap-renderer.ts';
import { videoSwapRenderer } from '../video/video-swap-renderer.ts';

/** The kinds of task that a worker thread can do. */
export type RenderKind =
  | 'avatar'
  | 'find_faces'
  | 'motion_transfer'
  | 'photo_swap'
  | 'video_swap'
  | 'lip_sync';

export const RENDERERS: Readonly<Record<RenderKind, Renderer<unknown, unknown>>> = {
  avatar: avatarRenderer,
  find_faces: findFaces,
  motion_transfer: motionRenderer,
  photo_swap: photoSwapRenderer,
  video_swap: videoSwapRenderer,
  lip_sync: lipSyncRenderer,
};
