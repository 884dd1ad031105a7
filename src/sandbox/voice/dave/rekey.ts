import type { Clock } from '../../../base/clock.ts';
import type { DaveCall } from './dave-call.ts';
import { DAVE_OPCODES, DAVE_VERSION, type DaveClient } from './dave-frames.ts';
import { DaveMember } from './dave-member.ts';

/** The longest time that the temporary client of `rekey` stays if it does not become part of the group. */
const STAY_MS_MAX = 10_000;

/** The temporary client of `rekey`, and its channel. */
interface RekeyOptions {
  readonly userId: string;
  readonly channelId: string;
  readonly clock: Clock;
}

/**
 * Makes everybody in a call agree on new keys twice. A client that exists only for this purpose joins, and leaves as
 * soon as the call uses the keys for the group that includes this client.
 */
export function rekey(call: DaveCall, { userId, channelId, clock }: RekeyOptions): void {
  if (call.version === 0) return;
  const member = new DaveMember({
    userId,
    channelId,
    answer: (answer) => call.receive(visitor, answer),
    present: () => [...call.clients].map((client) => client.userId),
  });
  const goAway = (): void => {
    limit.cancel();
    call.broadcast({ op: DAVE_OPCODES.clientDisconnect, d: { user_id: userId } });
    call.leave(visitor);
  };
  const visitor: DaveClient = {
    userId,
    versionMax: DAVE_VERSION,
    describe: (version) => member.describe(version),
    send: (message) => {
      member.send(message);
      if (message.op === DAVE_OPCODES.executeTransition) goAway();
    },
  };
  const limit = clock.after(STAY_MS_MAX, goAway, { background: true });
  call.broadcast({ op: DAVE_OPCODES.clientsConnect, d: { user_ids: [userId] } });
  call.join(visitor);
}
