import { describe, expect, test } from 'vitest';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import type { LockstepClock } from '../../../helpers/lockstep-clock.ts';
import { packetsOf, toneFrames, useSimulatedVoiceClub } from './use-connector.ts';

/** Returns the sequence numbers of a member's packets that Ben received but the bot did not. */
function missing(
  got: readonly { readonly sequence: number }[],
  sent: readonly { readonly sequence: number }[],
): number {
  const seen = new Set(got.map(({ sequence }) => sequence));
  return sent.filter(({ sequence }) => !seen.has(sequence)).length;
}

/** Has the member speak briefly, again and again, until `condition` is true. */
async function speaksUntil(
  member: SandboxMember,
  time: LockstepClock,
  condition: () => boolean,
): Promise<void> {
  for (let times = 0; times < 30 && !condition(); times++) {
    await time.during(member.voice.speaks(tone(440, 300)));
  }
  expect(condition()).toBe(true);
}

describe("a call's encryption", () => {
  test('loses hardly a packet when keys change all the time', async () => {
    const { lounge, ada, ben, sandbox, time, join } = await useSimulatedVoiceClub();
    ada.voice.joins(lounge);
    ben.voice.joins(lounge);
    await using endpoint = await join();
    const packets = packetsOf(endpoint, ada);
    const { encryption } = sandbox.faults.voiceIn(lounge);
    const before = encryption.epoch;
    using _changing = encryption.rekeyEvery(300);

    await time.during(ada.voice.speaks(tone(440, 2_000)));

    const sent = ben.voice.packetsOf(ada, lounge);
    expect(encryption.epoch - before).toBeGreaterThan(1);
    expect(sent).toHaveLength(105);
    await time.until(() => expect(missing(packets, sent)).toBeLessThanOrEqual(5));
    expect(endpoint.counts.recoveries).toBe(0);
  });

  test('is set up again when the bot cannot join the group, and then the bot hears and is heard', async () => {
    const { lounge, ada, sandbox, bot, time, join } = await useSimulatedVoiceClub();
    ada.voice.joins(lounge);
    sandbox.faults.voiceIn(lounge).encryption.corruptWelcome();

    await using endpoint = await join();
    const packets = packetsOf(endpoint, ada);
    const [frame = new Uint8Array()] = await toneFrames(1);
    await time.until(() => expect(endpoint.speak(frame)).toBe(true));
    await time.during(ada.voice.speaks(tone(440, 100)));

    expect(endpoint.counts.recoveries).toBe(1);
    await time.until(() => expect(packets).toHaveLength(10));
    await time.until(() => expect(ada.voice.packetsOf(bot, lounge).at(-1)?.opus ?? null).not.toBeNull());
  });

  test('is set up again when the bot was left out of the group before any transition', async () => {
    const { lounge, ada, ben, sandbox, time, join } = await useSimulatedVoiceClub();
    const { encryption } = sandbox.faults.voiceIn(lounge);
    ada.voice.joins(lounge);
    ben.voice.joins(lounge);
    await time.until(() => expect(encryption.includes(ada) && encryption.includes(ben)).toBe(true));
    encryption.loseCommits();

    await using endpoint = await join();
    const packets = packetsOf(endpoint, ada);
    const [frame = new Uint8Array()] = await toneFrames(1);
    expect(endpoint.speak(frame)).toBe(false);
    await speaksUntil(ada, time, () => packets.some(({ opus }) => opus.length > 3));

    expect(endpoint.counts.recoveries).toBe(1);
    expect(endpoint.counts.stillEncrypted).toBeGreaterThan(30);
    expect(endpoint.speak(frame)).toBe(true);
  });

  test('is set up again when the bot has speech to send and cannot encrypt it', async () => {
    const { lounge, ada, sandbox, time, join } = await useSimulatedVoiceClub();
    ada.voice.joins(lounge);
    sandbox.faults.voiceIn(lounge).encryption.loseCommits();
    await using endpoint = await join();
    const [frame = new Uint8Array()] = await toneFrames(1);

    for (let times = 0; times < 40; times++) expect(endpoint.speak(frame)).toBe(false);
    expect(endpoint.counts.recoveries).toBe(0);
    await time.pass(3_000);

    await time.until(() => expect(endpoint.speak(frame)).toBe(true));
    expect(endpoint.counts.recoveries).toBe(1);
  });

  test('rejects packets that their speaker did not encrypt', async () => {
    const { lounge, ada, sandbox, time, join } = await useSimulatedVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await join();
    const packets = packetsOf(endpoint, ada);
    await time.during(ada.voice.speaks(tone(440, 100)));
    await time.until(() => expect(packets).toHaveLength(10));

    sandbox.faults.voiceIn(lounge).encryption.leavePlain(ada, 3);
    await time.during(ada.voice.speaks(tone(440, 100)));

    await time.until(() => expect(endpoint.counts.undecryptable).toBe(3));
    expect(packets).toHaveLength(17);
  });

  test('may end and start again during a call', async () => {
    const { lounge, ada, sandbox, bot, time, join } = await useSimulatedVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await join();
    const packets = packetsOf(endpoint, ada);
    const { encryption } = sandbox.faults.voiceIn(lounge);
    const [frame = new Uint8Array()] = await toneFrames(1);

    for (const isPlain of [true, false]) {
      encryption.keepPlain(isPlain);
      await time.until(() => expect(encryption.version).toBe(isPlain ? 0 : 1));
      if (!isPlain) await time.until(() => expect(encryption.includes(bot)).toBe(true));
      const before = packets.length;
      await speaksUntil(ada, time, () => packets.length > before + 10);
      await time.until(() => expect(endpoint.speak(frame)).toBe(true));
      await time.until(() => expect(ada.voice.packetsOf(bot, lounge).at(-1)?.opus ?? null).not.toBeNull());
    }
    expect(endpoint.counts.recoveries).toBe(0);
  });

  test('survives when all members form a new group', async () => {
    const { lounge, ada, sandbox, time, join } = await useSimulatedVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await join();
    const packets = packetsOf(endpoint, ada);

    sandbox.faults.voiceIn(lounge).encryption.restart();
    await speaksUntil(ada, time, () => packets.length > 20);

    expect(endpoint.counts.recoveries).toBe(0);
  });
});
