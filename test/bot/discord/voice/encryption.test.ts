import { describe, expect, test } from 'vitest';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import { AheadClock, packetsOf, toneFrames, useVoiceClub } from './use-connector.ts';

/** Returns the numbers of a member's packets that Ben received and the bot did not. */
function missing(
  got: readonly { readonly sequence: number }[],
  sent: readonly { readonly sequence: number }[],
): number {
  const seen = new Set(got.map(({ sequence }) => sequence));
  return sent.filter(({ sequence }) => !seen.has(sequence)).length;
}

/** Lets the member speak briefly, again and again, until `condition` holds. */
async function speaksUntil(member: SandboxMember, condition: () => boolean): Promise<void> {
  for (let times = 0; times < 30 && !condition(); times++) await member.voice.speaks(tone(440, 300));
  expect(condition()).toBe(true);
}

describe("a call's encryption", () => {
  test('loses hardly a packet when keys change all the time', async () => {
    const { lounge, ada, ben, sandbox, connector, place } = await useVoiceClub();
    ada.voice.joins(lounge);
    ben.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const packets = packetsOf(endpoint, ada);
    const { encryption } = sandbox.faults.voiceIn(lounge);
    const before = encryption.epoch;
    using _changing = encryption.rekeyEvery(300);

    await ada.voice.speaks(tone(440, 2_000));

    const sent = ben.voice.packetsOf(ada, lounge);
    expect(encryption.epoch - before).toBeGreaterThan(1);
    expect(sent).toHaveLength(105);
    await expect.poll(() => missing(packets, sent)).toBeLessThanOrEqual(5);
    expect(endpoint.counts.recoveries).toBe(0);
  });

  test('is set up again when the bot cannot join the group, and then the bot hears and is heard', async () => {
    const { lounge, ada, sandbox, connector, bot, place } = await useVoiceClub();
    ada.voice.joins(lounge);
    sandbox.faults.voiceIn(lounge).encryption.corruptWelcome();

    await using endpoint = await connector.join(place);
    const packets = packetsOf(endpoint, ada);
    const [frame = new Uint8Array()] = await toneFrames(1);
    await expect.poll(() => endpoint.speak(frame)).toBe(true);
    await ada.voice.speaks(tone(440, 100));

    expect(endpoint.counts.recoveries).toBe(1);
    await expect.poll(() => packets.length).toBe(10);
    await expect.poll(() => ada.voice.packetsOf(bot, lounge).at(-1)?.opus ?? null).not.toBeNull();
  });

  test('is set up again when the bot was left out of the group before any transition', async () => {
    const { lounge, ada, ben, sandbox, connector, place } = await useVoiceClub();
    const { encryption } = sandbox.faults.voiceIn(lounge);
    ada.voice.joins(lounge);
    ben.voice.joins(lounge);
    await expect.poll(() => encryption.includes(ada) && encryption.includes(ben)).toBe(true);
    encryption.loseCommits();

    await using endpoint = await connector.join(place);
    const packets = packetsOf(endpoint, ada);
    const [frame = new Uint8Array()] = await toneFrames(1);
    expect(endpoint.speak(frame)).toBe(false);
    await speaksUntil(ada, () => packets.some(({ opus }) => opus.length > 3));

    expect(endpoint.counts.recoveries).toBe(1);
    expect(endpoint.counts.stillEncrypted).toBeGreaterThan(30);
    expect(endpoint.speak(frame)).toBe(true);
  });

  test('is set up again when the bot has speech to send and cannot encrypt it', async () => {
    const clock = new AheadClock();
    const { lounge, ada, sandbox, connector, place } = await useVoiceClub({ clock });
    ada.voice.joins(lounge);
    sandbox.faults.voiceIn(lounge).encryption.loseCommits();
    await using endpoint = await connector.join(place);
    const [frame = new Uint8Array()] = await toneFrames(1);

    for (let times = 0; times < 40; times++) expect(endpoint.speak(frame)).toBe(false);
    expect(endpoint.counts.recoveries).toBe(0);
    clock.aheadMs += 3_000;

    await expect.poll(() => endpoint.speak(frame)).toBe(true);
    expect(endpoint.counts.recoveries).toBe(1);
  });

  test('rejects packets that their speaker did not encrypt', async () => {
    const { lounge, ada, sandbox, connector, place } = await useVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const packets = packetsOf(endpoint, ada);
    await ada.voice.speaks(tone(440, 100));
    await expect.poll(() => packets.length).toBe(10);

    sandbox.faults.voiceIn(lounge).encryption.leavePlain(ada, 3);
    await ada.voice.speaks(tone(440, 100));

    await expect.poll(() => endpoint.counts.undecryptable).toBe(3);
    expect(packets).toHaveLength(17);
  });

  test('may end and start again during a call', async () => {
    const { lounge, ada, sandbox, connector, bot, place } = await useVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const packets = packetsOf(endpoint, ada);
    const { encryption } = sandbox.faults.voiceIn(lounge);
    const [frame = new Uint8Array()] = await toneFrames(1);

    for (const isPlain of [true, false]) {
      encryption.keepPlain(isPlain);
      await expect.poll(() => encryption.version).toBe(isPlain ? 0 : 1);
      if (!isPlain) await expect.poll(() => encryption.includes(bot)).toBe(true);
      const before = packets.length;
      await speaksUntil(ada, () => packets.length > before + 10);
      await expect.poll(() => endpoint.speak(frame)).toBe(true);
      await expect.poll(() => ada.voice.packetsOf(bot, lounge).at(-1)?.opus ?? null).not.toBeNull();
    }
    expect(endpoint.counts.recoveries).toBe(0);
  });

  test('survives when all members form a new group', async () => {
    const { lounge, ada, sandbox, connector, place } = await useVoiceClub();
    ada.voice.joins(lounge);
    await using endpoint = await connector.join(place);
    const packets = packetsOf(endpoint, ada);

    sandbox.faults.voiceIn(lounge).encryption.restart();
    await speaksUntil(ada, () => packets.length > 20);

    expect(endpoint.counts.recoveries).toBe(0);
  });
});
