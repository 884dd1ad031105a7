import { describe, expect, test } from 'vitest';
import type { VoiceFaults } from '../../../../src/sandbox/voice/link-faults.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import { type VoiceClub, packetsOf, useVoiceClub } from './use-connector.ts';
import type { SpeechPacket } from '../../../../src/bot/sessions/voice-swap/speech-packet.ts';
import type { VoiceEndpoint } from '../../../../src/bot/sessions/voice-swap/voice-endpoint.ts';

interface Heard extends VoiceClub {
  readonly endpoint: VoiceEndpoint;
  /** Ada's packets that the bot received. */
  readonly packets: readonly SpeechPacket[];
}

/** Sets up a call in which the bot hears Ada, and Ben is present. */
async function hearAda(faults: Partial<VoiceFaults> = {}): Promise<Heard> {
  const club = await useVoiceClub();
  const { lounge, ada, ben, sandbox, connector, place } = club;
  ada.voice.joins(lounge);
  ben.voice.joins(lounge);
  sandbox.faults.voiceIn(lounge).set(faults);
  const endpoint = await connector.join(place);
  return { ...club, endpoint, packets: packetsOf(endpoint, ada) };
}

/** Returns the number of Ada's packets that Ben received but the bot did not. */
function missingOf({ ada, ben, lounge, packets }: Heard): number {
  const got = new Set(packets.map(({ sequence, ssrc }) => `${ssrc} ${sequence}`));
  const sent = ben.voice.packetsOf(ada, lounge);
  return sent.filter(({ sequence, ssrc }) => !got.has(`${ssrc} ${sequence}`)).length;
}

describe('packets of an encrypted call', () => {
  test.each<[string, Partial<VoiceFaults>]>([
    ['with padding', { paddingPercent: 100 }],
    ['without a header extension', { hasExtension: false, paddingPercent: 50 }],
    ['twice', { duplicatePercent: 100 }],
    ['out of order', { reorderPercent: 50 }],
  ])('arrive %s', async (_name, faults) => {
    const heard = await hearAda(faults);

    await heard.ada.voice.speaks(tone(440, 500));

    await expect.poll(() => missingOf(heard)).toBe(0);
    expect(heard.endpoint.counts).toMatchObject({ undecryptable: 0, stillEncrypted: 0, foreign: 0 });
  });

  test('arrive after corrupt and forged ones, which are counted', async () => {
    const heard = await hearAda();
    const { sandbox, lounge, ada, endpoint } = heard;
    const faults = sandbox.faults.voiceIn(lounge);
    await ada.voice.speaks(tone(440, 100));

    faults.corruptNext(ada, 5);
    faults.spoofNext(ada, 3);
    await ada.voice.speaks(tone(440, 300));

    await expect.poll(() => endpoint.counts).toMatchObject({ undecryptable: 5, foreign: 3 });
    await expect.poll(() => missingOf(heard)).toBe(5);
  });

  test('reveal another stream by its SSRC', async () => {
    const heard = await hearAda();
    await heard.ada.voice.speaks(tone(440, 100));
    await expect.poll(() => missingOf(heard)).toBe(0);
    heard.ada.voice.changesSsrc();
    await heard.ada.voice.speaks(tone(440, 100));

    await expect.poll(() => missingOf(heard)).toBe(0);
    expect(new Set(heard.packets.map(({ ssrc }) => ssrc)).size).toBe(2);
  });

  test('are kept for a short time when the server names the speaker late', async () => {
    const heard = await hearAda({ speakingEvent: 'late' });

    await heard.ada.voice.speaks(tone(440, 800));

    await expect.poll(() => heard.packets.length).toBeGreaterThan(15);
    // The bot learns who is speaking after 500 ms. Until then, it keeps only the packets of the last 200 ms.
    expect(missingOf(heard)).toBeGreaterThanOrEqual(12);
    expect(missingOf(heard)).toBeLessThan(25);
  });

  test('are not decrypted when nobody hears the speaker', async () => {
    const heard = await hearAda();
    const { ben, endpoint, packets } = heard;

    await ben.voice.speaks(tone(440, 200));

    await expect.poll(() => endpoint.counts.foreign).toBe(15);
    expect(packets).toEqual([]);
    expect(endpoint.counts).toMatchObject({ undecryptable: 0, stillEncrypted: 0 });
  });

  test('arrive while others come and go', async () => {
    const heard = await hearAda();
    const { ada, guild, lounge, packets, endpoint } = heard;
    const others = ['Cleo', 'Dan', 'Eve'].map((name) => guild.addMember(name));
    const speaking = ada.voice.speaks(tone(440, 2_000));
    for (const [index, other] of others.entries()) {
      await expect.poll(() => packets.length).toBeGreaterThan(25 * index);
      other.voice.joins(lounge);
      await expect.poll(() => packets.length).toBeGreaterThan(25 * index + 12);
      other.voice.leaves();
    }
    await speaking;

    await expect.poll(() => missingOf(heard)).toBeLessThanOrEqual(6);
    expect(endpoint.counts.recoveries).toBe(0);
  });
});
