import type { Clock } from '../../base/clock.ts';
import type { World } from '../chat/world.ts';
import { type CallEncryption, PLAIN_CALL } from './call-encryption.ts';
import { DaveEncryption } from './dave/dave-encryption.ts';

/**
 * `required`: clients that cannot encrypt end to end are turned away with 4017, as on Discord since March 2026.
 * `preferred`: calls go on in clear while such a client is there, as before. `none`: all calls are in clear.
 */
export type EncryptionPolicy = 'required' | 'preferred' | 'none';

/** The end-to-end encryption of a channel's call; stages have none. */
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
