import { checkCodec } from './check-codec.ts';
import type { Renderer } from '../renderer.ts';
import { avatarRenderer } from '../avatar/avatar-renderer.ts';
import { motionRenderer } from '../motion/motion-renderer.ts';
import { findFaces } from '../photo/find-faces.ts';
import { lipSyncRenderer } from '../lip/lip-sync-renderer.ts';
import { identitySwapRenderer } from '../identity/identity-swap-renderer.ts';
import { photoSwapRenderer } from '../photo/photo-swap-renderer.ts';
import { videoSwapRenderer } from '../video/video-swap-renderer.ts';

/** The kinds of task that a worker supports. */
export type RenderKind =
  | 'avatar'
  | 'check_codec'
  | 'find_faces'
  | 'identity_swap'
  | 'lip_sync'
  | 'motion_transfer'
  | 'photo_swap'
  | 'video_swap';

export const RENDERERS: Readonly<Record<RenderKind, Renderer<unknown, unknown>>> = {
  avatar: avatarRenderer,
  check_codec: checkCodec,
  find_faces: findFaces,
  lip_sync: lipSyncRenderer,
  motion_transfer: motionRenderer,
  photo_swap: photoSwapRenderer,
  video_swap: videoSwapRenderer,
  identity_swap: identitySwapRenderer,
};
