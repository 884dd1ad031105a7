import { createDecoder } from 'libopus-wasm';
import { expect, test, vi } from 'vitest';
import type { PageGuild, PageVoiceState } from '../../../src/sandbox/page/page-views.ts';
import type { PageSamples } from '../../../src/sandbox/page/use-views.ts';
import { encodeSpeech } from '../../../src/sandbox/voice/speech.ts';
import { powerSpectrum } from '../../audio/analysis.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { RATE_HZ, join, tone, useVoiceScene } from '../use-voice.ts';
import { type LivePage, usePage } from './use-page.ts';

function peakHz(samples: Int16Array): number {
  const size = 8192;
  const power = powerSpectrum(Float32Array.from(samples), 4800, size);
  return (power.indexOf(Math.max(...power)) * RATE_HZ) / size;
}

/** Creates a microphone packet as the page sends it. */
function microphonePacket(opus: Uint8Array, timestamp: number): Buffer {
  const packet = Buffer.alloc(5 + opus.byteLength);
  packet.writeUInt8(1, 0);
  packet.writeUInt32BE(timestamp, 1);
  packet.set(opus, 5);
  return packet;
}

/** Decodes the sound that the page has received from a speaker. */
async function heardOf(live: LivePage, speaker: { readonly id: string }): Promise<Int16Array> {
  using decoder = await createDecoder({ channels: 1, sampleRate: RATE_HZ });
  const packets = live.packets.filter((packet) => String(packet.readBigUInt64BE(12)) === speaker.id);
  return Int16Array.from(packets.flatMap((packet) => [...decoder.decode(packet.subarray(20))]));
}

function statesIn(live: LivePage, channelId: string): readonly PageVoiceState[] {
  const guilds: PageGuild[] = [...(live.state?.guilds ?? []), ...live.of('guild').map(({ guild }) => guild)];
  return guilds.at(-1)?.channels.find(({ id }) => id === channelId)?.voice ?? [];
}

test('a page speaks with its microphone and hears members and bots, encrypted end to end', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada, ben, client, bot } = await useVoiceScene(sandbox);
  const page = await usePage(sandbox);
  const live = await page.actsAs(ada.id);
  const member = `/guilds/${guild.id}/members/${ada.id}`;
  await page.post(`${member}/voice/joins`, { in: lounge.id });
  ben.voice.joins(lounge);
  const connection = await join(client, lounge);
  await expect.poll(() => statesIn(live, lounge.id).filter(({ connected }) => connected)).toHaveLength(3);
  live.send({ t: 'hear', which: 'converted' });
  const { frames } = await encodeSpeech(tone(440, 400));
  for (const [index, frame] of frames.entries()) live.socket.send(microphonePacket(frame, 7 + index * 960));
  await expect.poll(() => ben.voice.packetsOf(ada, lounge).length).toBe(frames.length + 5);
  expect(peakHz((await ben.voice.heard(ada, lounge)).samples)).toBeCloseTo(440, -1.2);
  expect(sandbox.faults.voiceIn(lounge).encryption.version).toBe(1);
  await ben.voice.speaks(tone(300, 100));
  const said = (await encodeSpeech(tone(660, 400))).frames;
  for (const frame of said) connection.playOpusPacket(Buffer.from(frame));
  await expect.poll(() => live.packets.length).toBe(said.length);
  expect(new Set(live.packets.map((packet) => [packet[0], packet[1]].join()))).toEqual(new Set(['2,1']));
  expect(peakHz(await heardOf(live, bot))).toBeCloseTo(660, -1.2);
  live.send({ t: 'hear', which: 'original' });
  live.packets.length = 0;
  await ben.voice.speaks(tone(330, 400));
  await expect.poll(() => live.packets.length).toBeGreaterThan(20);
  expect(peakHz(await heardOf(live, ben))).toBeCloseTo(330, -1.2);
  const spoke = live.of('speaking').map(({ user_id: user, speaking }) => `${user} ${speaking}`);
  for (const { id } of [ada, ben, bot]) expect(spoke).toContain(`${id} true`);
  await expect.poll(() => live.of('speaking').at(-1)?.speaking).toBe(false);
});

test('surplus packets are dropped, and packets without a call or with garbage do not pass', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada, ben } = await useVoiceScene(sandbox);
  const page = await usePage(sandbox);
  const live = await page.actsAs(ada.id);
  const [frame = new Uint8Array()] = (await encodeSpeech(tone(440, 20))).frames;
  for (const bytes of [Buffer.alloc(0), Buffer.from([9, 0, 0, 0, 0, 1]), Buffer.alloc(4000, 1)]) {
    live.socket.send(bytes);
  }
  live.socket.send(microphonePacket(frame, 0));
  ben.voice.joins(lounge);
  await page.post(`/guilds/${guild.id}/members/${ada.id}/voice/joins`, { in: lounge.id });
  for (let index = 1; index <= 300; index++) live.socket.send(microphonePacket(frame, index * 960));
  await expect.poll(() => ben.voice.packetsOf(ada, lounge).length).toBeGreaterThan(40);
  await expect.poll(() => live.of('speaking').at(-1)?.speaking).toBe(false);
  expect(ben.voice.packetsOf(ada, lounge).length).toBeLessThan(120);
});

test('timestamps that run ahead move nobody into the future', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada, ben } = await useVoiceScene(sandbox);
  const page = await usePage(sandbox);
  const live = await page.actsAs(ada.id);
  const [frame = new Uint8Array()] = (await encodeSpeech(tone(440, 20))).frames;
  ben.voice.joins(lounge);
  await page.post(`/guilds/${guild.id}/members/${ada.id}/voice/joins`, { in: lounge.id });
  for (let index = 0; index < 20; index++) live.socket.send(microphonePacket(frame, index * 24_000));
  for (let index = 0; index < 20; index++) live.socket.send(microphonePacket(frame, 9_000_000 - index));
  await expect.poll(() => live.of('speaking').at(-1)?.speaking).toBe(false);
  const timestamps = ben.voice.packetsOf(ada, lounge).map(({ timestamp }) => timestamp);
  expect(timestamps.length).toBeGreaterThan(2);
  const spans = timestamps.map((timestamp) => (timestamp - (timestamps[0] ?? 0)) >>> 0);
  expect(Math.max(...spans)).toBeLessThan(2 * RATE_HZ);
  expect(spans).toEqual(spans.toSorted((a, b) => a - b));
});

test('two simultaneous requests to let a member speak are distinguished', async () => {
  const sandbox = await useSandbox({ page: { samplesFolder: `${import.meta.dirname}/../../samples` } });
  const { guild, lounge, ada } = await useVoiceScene(sandbox);
  const page = await usePage(sandbox);
  const voice = `/guilds/${guild.id}/members/${ada.id}/voice`;
  await page.post(`${voice}/joins`, { in: lounge.id });
  const says = (): Promise<{ status: number }> =>
    page.post(`${voice}/speaks`, { sample: 'speech-man-48k.wav' });
  const statuses = (await Promise.all([says(), says()])).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 400]));
});

test("the button for packet loss drops some of the bot's packets, and none after it is off again", async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben, client } = await useVoiceScene(sandbox);
  const page = await usePage(sandbox);
  for (const member of [ada, ben]) member.voice.joins(lounge);
  const { receiver } = await join(client, lounge);
  let packets = 0;
  for (const { id } of [ada, ben]) receiver.subscribe(id).on('data', () => packets++);
  /** Has both members speak, and returns how many of their 150 packets the bot receives. */
  const heardOfBoth = async (): Promise<number> => {
    packets = 0;
    await Promise.all([ada, ben].map((member) => member.voice.speaks(tone(300, 1_400))));
    await vi.waitFor(() => expect(packets).toBeGreaterThan(100));
    return packets;
  };
  await page.post('/faults', { named: { name: 'voice_loss', on: true } });
  expect(await heardOfBoth()).toBeLessThan(150);
  await page.post('/faults', { named: { name: 'voice_loss', on: false } });
  // A busy machine may lose packets itself, so one complete round is enough: if the fault still dropped one packet
  // in twenty, no round would ever be complete.
  await expect.poll(heardOfBoth, { interval: 1, timeout: 15_000 }).toBe(150);
});

test('samples of the gallery are spoken, and a member who joins elsewhere leaves', async () => {
  const samplesFolder = `${import.meta.dirname}/../../samples`;
  const sandbox = await useSandbox({ page: { samplesFolder } });
  const { filmClub, nightRadio } = sandbox.seed();
  const { ada } = filmClub.members;
  const page = await usePage(sandbox);
  const { body: gallery } = await page.get<PageSamples>('/samples');
  expect(gallery.samples.find(({ name }) => name === 'speech-man-48k.wav')).toMatchObject({
    kind: 'audio',
    speakable: true,
    title: 'Speech man 48k',
  });
  const picture = gallery.samples.find(({ kind }) => kind === 'image');
  const loaded = await fetch(`${page.origin}${picture?.url}`, { headers: { range: 'bytes=0-9' } });
  expect([loaded.status, loaded.headers.get('content-type')]).toEqual([206, picture?.content_type]);
  const there = `/guilds/${filmClub.guild.id}/members/${ada.id}/voice`;
  await page.post(`${there}/joins`, { in: filmClub.channels.lounge.id });
  const said = await page.post<{ duration_ms: number }>(`${there}/speaks`, { sample: 'speech-man-48k.wav' });
  expect(said.body.duration_ms).toBeGreaterThan(6_000);
  await expect.poll(() => filmClub.channels.lounge.voice.packetsOf(ada).length).toBeGreaterThan(5);
  const elsewhere = `/guilds/${nightRadio.guild.id}/members/${ada.id}/voice/joins`;
  expect((await page.post(elsewhere, { in: nightRadio.channels.lounge.id })).status).toBe(200);
  expect(filmClub.channels.lounge.voice.states).toEqual([]);
  expect(nightRadio.channels.lounge.voice.states).toHaveLength(1);
});
