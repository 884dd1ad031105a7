import { type VoiceConnection, VoiceConnectionStatus } from '@discordjs/voice';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { ChannelVoiceFaults } from '../../src/sandbox/channel-voice-faults.ts';
import { SILENCE_FRAME } from '../../src/sandbox/voice/speech.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { type VoiceScene, join, useVoiceScene } from './use-voice.ts';

interface Listening extends VoiceScene {
  readonly connection: VoiceConnection;
  readonly faults: ChannelVoiceFaults;
  /** Every voice packet that reached the bot, unchanged. */
  readonly datagrams: readonly Buffer[];
  /** Ada's Opus packets, as @discordjs/voice returned them. */
  readonly opus: readonly Buffer[];
}

/** Puts Ada and the bot into a channel; the bot listens. */
async function useListening(sandbox: Sandbox): Promise<Listening> {
  const scene = await useVoiceScene(sandbox);
  scene.ada.voice.joins(scene.lounge);
  const connection = await join(scene.client, scene.lounge);
  if (connection.state.status !== VoiceConnectionStatus.Ready) throw new Error('Cannot listen: not ready');
  const { state } = connection.state.networking;
  if (!('udp' in state)) throw new Error('Cannot listen: no socket');
  const datagrams: Buffer[] = [];
  state.udp.on('message', (datagram: Buffer) => {
    if (datagram.length > 12) datagrams.push(Buffer.from(datagram));
  });
  const opus: Buffer[] = [];
  connection.receiver.subscribe(scene.ada.id).on('data', (packet: Buffer) => opus.push(packet));
  return { ...scene, connection, datagrams, opus, faults: sandbox.faults.voiceIn(scene.lounge) };
}

/** Twenty distinct packets. Five packets of silence are added at the end of each speech, so `ALL` is 25. */
const SPEECH = { frames: Array.from({ length: 20 }, (_, index) => Uint8Array.from([0xf8, 0xff, index])) };
const ALL = 25;

function sequences(datagrams: readonly Buffer[]): number[] {
  const first = datagrams[0]?.readUInt16BE(2) ?? 0;
  return datagrams.map((datagram) => (datagram.readUInt16BE(2) - first) & 0xffff);
}

test('packets get lost at random, the same ones for the same seed', async () => {
  const lost = async (): Promise<number[]> => {
    const sandbox = await useSandbox({ voice: { seed: 7 } });
    const { ada, lounge, faults, datagrams } = await useListening(sandbox);
    faults.set({ lossPercent: 30 });
    await ada.voice.speaks(SPEECH);
    faults.set({ lossPercent: 0 });
    await ada.voice.speaks({ frames: [] });
    const sent = lounge.voice.packetsOf(ada);
    expect(sent).toHaveLength(ALL + 5);
    await expect.poll(() => datagrams.at(-1)?.readUInt16BE(2)).toBe(sent.at(-1)?.sequence);
    return sequences(datagrams);
  };
  const [first, second] = [await lost(), await lost()];
  expect(first.length).toBeLessThan(ALL + 5);
  expect(second).toEqual(first);
});

test('packets get lost in bursts, are repeated and overtake each other', async () => {
  const sandbox = await useSandbox();
  const { ada, faults, datagrams } = await useListening(sandbox);
  faults.set({ lossBurst: { packets: 3, everyPackets: 10 } });
  await ada.voice.speaks(SPEECH);
  await expect.poll(() => datagrams.length).toBe(19);
  expect(sequences(datagrams)).toEqual([0, 1, 2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 16, 20, 21, 22, 23, 24]);

  faults.clear();
  faults.set({ duplicatePercent: 100 }, ada);
  await ada.voice.speaks({ frames: [] });
  await expect.poll(() => datagrams.length).toBe(29);
  expect(sequences(datagrams.slice(19))).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);

  faults.clear();
  faults.set({ reorderPercent: 40, jitterMs: 1 });
  await ada.voice.speaks(SPEECH);
  await expect.poll(() => datagrams.length).toBe(29 + ALL);
  const order = sequences(datagrams.slice(29));
  expect(order).not.toEqual(order.toSorted((a, b) => a - b));
});

test('packets have an extension and occasionally padding, which a client removes', async () => {
  const sandbox = await useSandbox();
  const { ada, faults, datagrams, opus } = await useListening(sandbox);
  faults.set({ paddingPercent: 50 });
  await ada.voice.speaks(SPEECH);
  await expect.poll(() => opus.length).toBe(ALL);
  expect(datagrams.every((datagram) => (datagram.readUInt8(0) & 0x10) !== 0)).toBe(true);
  const padded = datagrams.filter((datagram) => (datagram.readUInt8(0) & 0x20) !== 0).length;
  expect(padded).toBeGreaterThan(3);
  expect(padded).toBeLessThan(ALL - 3);

  faults.set({ hasExtension: false, paddingPercent: 0 });
  await ada.voice.speaks({ frames: [] });
  await expect.poll(() => opus.length).toBe(ALL + 5);
  expect(datagrams.at(-1)?.readUInt8(0)).toBe(0x80);
  expect(opus.map((packet) => [...packet])).toEqual(
    [...SPEECH.frames, ...Array.from({ length: 10 }, () => SILENCE_FRAME)].map((frame) => [...frame]),
  );
});

test.each([['corrupted'], ['false']] as const)(
  'one %s packet ends the stream of @discordjs/voice',
  async (kind) => {
    const sandbox = await useSandbox();
    const { ada, faults, connection, opus } = await useListening(sandbox);
    const failed = new Promise((resolve) => connection.receiver.subscribe(ada.id).once('error', resolve));
    await ada.voice.speaks({ frames: [] });
    if (kind === 'corrupted') faults.corruptNext(ada);
    else faults.spoofNext(ada);
    await ada.voice.speaks({ frames: [] });
    await failed;
    expect(opus.length).toBeLessThan(10);

    const again = new Promise((resolve) => connection.receiver.subscribe(ada.id).once('data', resolve));
    await ada.voice.speaks({ frames: [] });
    expect(await again).toEqual(Buffer.from(SILENCE_FRAME));
  },
);

test('the bot learns the member of an SSRC at the first packet, later, or never; and of another SSRC', async () => {
  const sandbox = await useSandbox();
  const { ada, faults, connection, opus, datagrams } = await useListening(sandbox);
  const { ssrcMap } = connection.receiver;
  expect(ssrcMap.get(ada.id)).toBeUndefined();
  faults.set({ speakingEvent: 'missing' });
  await ada.voice.speaks({ frames: [] });
  await expect.poll(() => datagrams.length).toBe(5);
  expect([opus.length, ssrcMap.get(ada.id)]).toEqual([0, undefined]);

  faults.set({ speakingEvent: 'late' });
  await ada.voice.speaks(SPEECH);
  await ada.voice.speaks({ frames: [] });
  await expect.poll(() => datagrams.length).toBe(35);
  expect(opus.length).toBeGreaterThan(4);
  expect(opus.length).toBeLessThanOrEqual(15);

  const before = ssrcMap.get(ada.id)?.audioSSRC;
  const received = opus.length;
  ada.voice.changesSsrc();
  faults.clear();
  await ada.voice.speaks({ frames: [] });
  await expect.poll(() => opus.length).toBeGreaterThan(received);
  expect(datagrams.at(-1)?.readUInt32BE(8)).not.toBe(before);
});

test('a dead connection carries nothing in either direction, and a bot’s own loss affects its packets to the server', async () => {
  const sandbox = await useSandbox();
  const { ada, lounge, bot, faults, connection, datagrams } = await useListening(sandbox);
  faults.set({ isDead: true });
  await ada.voice.speaks({ frames: [] });
  for (let index = 0; index < 5; index++) connection.playOpusPacket(Buffer.from(SILENCE_FRAME));
  faults.clear();
  faults.set({ lossPercent: 100 }, bot);
  for (let index = 0; index < 5; index++) connection.playOpusPacket(Buffer.from(SILENCE_FRAME));
  await ada.voice.speaks({ frames: [] });
  await expect.poll(() => datagrams.length).toBe(5);
  faults.clear();
  connection.playOpusPacket(Buffer.from(SILENCE_FRAME));
  await expect.poll(() => lounge.voice.packetsOf(bot).length).toBe(1);
});
