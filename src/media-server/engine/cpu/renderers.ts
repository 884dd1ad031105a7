import type { Renderer } from './renderer.ts';
import { findFaces } from '../photo/find-faces.ts';
import { identitySwapRenderer } from '../identity/identity-swap-renderer.ts';
import { photoSwapRenderer } from '../photo/photo-swap-renderer.ts';

/** The kinds of task that a worker thread can do. */
export type RenderKind = 'find_faces' | 'photo_swap' | 'identity_swap';

export const RENDERERS: Readonly<Record<RenderKind, Renderer<unknown, unknown>>> = {
  find_faces: findFaces,
  photo_swap: photoSwapRenderer,
  identity_swap: identitySwapRenderer,
};
