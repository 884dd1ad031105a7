import type { Engines } from '../engine/engines.ts';
import { avatar } from './avatar.ts';
import type { JobCapability } from './capability.ts';
import { identitySwap } from './identity-swap.ts';
import { lipSync } from './lip-sync.ts';
import { motionTransfer } from './motion-transfer.ts';
import { photoSwap } from './photo-swap.ts';
import { videoSwap } from './video-swap.ts';

/** Returns the six job capabilities, including those without an engine. */
export function jobCapabilities(engines: Engines): readonly JobCapability[] {
  return [
    identitySwap(engines.identitySwap),
    videoSwap(engines.videoSwap),
    photoSwap(engines.photoSwap),
    motionTransfer(engines.motionTransfer),
    avatar(engines.avatar, engines.voiceSwap?.voices ?? []),
    lipSync(engines.lipSync),
  ];
}
