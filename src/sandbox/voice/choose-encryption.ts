import type { Clock } from '../../base/clock.ts';
import type { World } from '../chat/world.ts';
import { type CallEncryption, PLAIN_CALL } from './call-encryption.ts';
import { DaveEncryption } from './dave/dave-encryption.ts';

/**
 * `required`: clients without end-to-end encryption are rejected with 4017, as on Discord since March 2026.
 * `preferred`: a call is encrypted while all its clients support encryption, as on Discord before March 2026. `none`:
 * no call is encrypted.
 */
export type EncryptionPolicy = 'required' | 'preferred' | 'none';

/** Returns the end-to-end encryption of a channel's call. Stages have none. */
export function chooseEncryption(
  world: World,
  clock: Clock,
  policy: EncryptionPolicy,
  channelId: string,
): CallEncryption {
  if (policy === 'none' || world.channels.get(channelId)?.kind === 'stage') return PLAIN_CALL;
  return new DaveEncryption({
    channelId,
    clock,
    isRequired: policy === 'required',
    newUserId: () => world.ids.next(),
    onMisuse: (op, detail) => world.violations.record('gateway_rule', `voice op ${op}`, detail),
  });
}
