import type { AvatarEngine } from './avatar.ts';
import type { IdentitySwapEngine } from './identity-swap.ts';
import type { LipSyncEngine } from './lip-sync.ts';
import type { LiveSwapEngine } from './live-swap.ts';
import type { MotionTransferEngine } from './motion-transfer.ts';
import type { PhotoSwapEngine } from './photo-swap.ts';
import type { VideoSwapEngine } from './video-swap.ts';
import type { VoiceSwapEngine } from './voice-swap.ts';

/**
 * What a media server renders with, one small interface per capability. The embedded processor engines are one
 * set; a GPU server can take the place of each. A capability without its engine answers `capability_unavailable`.
 */
export interface Engines {
  /** Renders that they take on at once; a server begins no more. Default: one less than the processor's cores. */
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
