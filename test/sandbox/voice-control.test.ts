import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readWav, writeWav } from '../../src/audio/wav.ts';
import { encodeSpeech } from '../../src/sandbox/voice/speech.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { RATE_HZ, join, tone, useVoiceScene } from './use-voice.ts';

test('an outside program controls members in voice, sets faults and listens', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada, client, bot } = await useVoiceScene(sandbox);
  const call = async (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`${sandbox.controlUrl}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  const actor = `/guilds/${guild.id}/members/${ada.id}/voice`;
  expect((await call('POST', `${actor}/joins`, { in: lounge.id })).status).toBe(200);
  const connection = await join(client, lounge);
  const there = await call('GET', `/channels/${lounge.id}/voice?connected=${bot.id}&timeout_ms=5000`);
  expect(await there.json()).toMatchObject({ connected: [ada.id, bot.id], packets: {} });

  const fault = await call('POST', '/faults', {
    voice: { channel_id: lounge.id, speaker_id: ada.id, set: { speaking_event: 'missing' } },
  });
  expect(await fault.json()).toEqual({ ordered: true });
  const wav = writeWav({ pcm: tone(440, 200), sampleRateHz: RATE_HZ });
  const said = await call('POST', `${actor}/speaks`, { wav_base64: Buffer.from(wav).toString('base64') });
  expect(await said.json()).toEqual({ duration_ms: 200 });
  const again = await call('POST', `${actor}/speaks`, { wav_base64: Buffer.from(wav).toString('base64') });
  expect([again.status, await again.json()]).toEqual([
    400,
    { error: 'Cannot speak: the member is still speaking' },
  ]);
  await expect.poll(() => lounge.voice.packetsOf(ada).length).toBe(15);
  expect(connection.receiver.ssrcMap.get(ada.id)).toBeUndefined();

  const recorded = await call('GET', `/channels/${lounge.id}/voice.wav?speaker_id=${ada.id}`);
  const { pcm: samples, sampleRateHz } = readWav(Buffer.from(await recorded.arrayBuffer()));
  expect(sampleRateHz).toBe(RATE_HZ);
  expect(samples.length).toBeGreaterThanOrEqual(15 * 960);
  expect(Math.max(...samples)).toBeGreaterThan(12_000);
  expect((await call('POST', `${actor}/sets`, { mute: true, self_deaf: true })).status).toBe(200);
  expect(lounge.voice.states[0]).toMatchObject({ selfDeaf: true, member: { isMuted: true } });
  await call('POST', `/guilds/${guild.id}/members/${bot.id}/voice/disconnects`);
  await call('POST', `${actor}/leaves`);
  expect(lounge.voice.states).toEqual([]);
});

test('an outside program sets faults of the encryption', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben } = await useVoiceScene(sandbox);
  ada.voice.joins(lounge);
  ben.voice.joins(lounge);
  const order = async (encryption: object): Promise<number> => {
    const answer = await fetch(`${sandbox.controlUrl}/faults`, {
      method: 'POST',
      body: JSON.stringify({ voice: { channel_id: lounge.id, encryption } }),
      headers: { 'content-type': 'application/json' },
    });
    return answer.status;
  };
  const look = async (): Promise<unknown> =>
    (await fetch(`${sandbox.controlUrl}/channels/${lounge.id}/voice`)).json();
  expect(await look()).toMatchObject({ encryption: { version: 1, epoch: 1 } });
  expect(await order({ rekey: true })).toBe(200);
  expect(await look()).toMatchObject({ encryption: { version: 1, epoch: 3 } });
  expect(await order({ keep_plain: true })).toBe(200);
  expect(await look()).toMatchObject({ encryption: { version: 0 } });
  expect(await order({ rekey: false })).toBe(400);
});

test('sounds that cannot be played are rejected', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada } = await useVoiceScene(sandbox);
  ada.voice.joins(lounge);
  const speak = async (bytes: Uint8Array): Promise<string> => {
    const answer = await fetch(`${sandbox.controlUrl}/guilds/${guild.id}/members/${ada.id}/voice/speaks`, {
      method: 'POST',
      body: JSON.stringify({ wav_base64: Buffer.from(bytes).toString('base64') }),
      headers: { 'content-type': 'application/json' },
    });
    return String(((await answer.json()) as { error?: string }).error);
  };
  expect(await speak(Buffer.from('RIFF....WAVE'))).toBe('Cannot read the sound: it has no "fmt" part');
  expect(await speak(Buffer.from('ID3'))).toBe('Cannot read the sound: it is not a WAV file');
  const odd = writeWav({ pcm: new Int16Array(10), sampleRateHz: 44_100 });
  expect(await speak(odd)).toBe('Cannot say a sound of 44100 Hz: Opus has no such rate');
  const long = writeWav({ pcm: new Int16Array(601 * 8_000), sampleRateHz: 8_000 });
  expect(await speak(long)).toBe('Cannot say that much at once: at most 10 minutes');
});

test('a sample of the repository is played at its own rate', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben } = await useVoiceScene(sandbox);
  const { pcm: samples, sampleRateHz } = readWav(await readFile('test/samples/speech-woman-16k.wav'));
  ada.voice.joins(lounge);
  ben.voice.joins(lounge);
  const speech = await encodeSpeech(samples.subarray(0, 8000), 16_000);
  await ada.voice.speaks(speech);
  const { samples: heard } = await ben.voice.heard(ada, lounge);

  expect([sampleRateHz, speech.frames.length]).toEqual([16_000, 25]);
  expect(heard.length).toBeGreaterThanOrEqual(30 * 960);
});
