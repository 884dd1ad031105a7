import type { AvatarEngine } from './avatar-engine.ts';
import type { IdentitySwapEngine } from './identity-swap-engine.ts';
import type { LipSyncEngine } from './lip-sync-engine.ts';
import type { LiveSwapEngine } from './live-swap-engine.ts';
import type { MotionTransferEngine } from './motion-transfer-engine.ts';
import type { PhotoSwapEngine } from './photo-swap-engine.ts';
import type { VideoSwapEngine } from './video-swap-engine.ts';
import type { VoiceSwapEngine } from './voice-swap-engine.ts';

/**
 * The engines of a media server, with one small interface for each capability. The embedded CPU engines
 * implement all of them, and a GPU server can replace each. A capability without an engine is answered with
 * `capability_unavailable`.
 */
export interface Engines {
  /**
   * The number of renders that the engines support at the same time; the server never runs more. Default: the number of
   * the processor's cores minus 1.
   */
  readonly rendersAtOnce?: number;
  readonly photoSwap?: PhotoSwapEngine;
  readonly videoSwap?: VideoSwapEngine;
  readonly identitySwap?: IdentitySwapEngine;
  readonly motionTransfer?: MotionTransferEngine;
  readonly avatar?: AvatarEngine;
  readonly lipSync?: LipSyncEngine;
  readonly voiceSwap?: VoiceSwapEngine;
  readonly liveSwap?: LiveSwapEngine;
}
