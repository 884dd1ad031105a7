import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../src/sandbox/script/sandbox-guild.ts';
import { FakeClock } from '../helpers/fake-clock.ts';
import { rtpParts } from '../../src/sandbox/voice/rtp.ts';
import { SILENCE_FRAME } from '../../src/sandbox/voice/speech.ts';
import { TransportCipher } from '../../src/sandbox/voice/transport-cipher.ts';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { DescriptionCheck, hasDescription } from './openapi.ts';
import {
  type Admission,
  type RawVoice,
  admitted,
  discoveryQuestion,
  useDatagrams,
  useVoiceGateway,
} from './use-voice-gateway.ts';

interface Scene extends Admission {
  readonly guild: SandboxGuild;
  readonly lounge: SandboxChannel;
  readonly voice: RawVoice;
}

async function useScene(sandbox: Sandbox): Promise<Scene> {
  const guild = sandbox.addGuild('Film club');
  const lounge = guild.addVoiceChannel('Lounge');
  const admission = await admitted(sandbox, guild, lounge);
  return { guild, lounge, ...admission, voice: await useVoiceGateway(sandbox, admission.endpoint) };
}

/** Completes the handshake up to op 1, and opens a UDP socket for media. */
async function useMedia({ voice, identity }: Scene): Promise<{
  readonly ssrc: number;
  readonly media: Awaited<ReturnType<typeof useDatagrams>>;
}> {
  voice.send(0, identity);
  const ready = await voice.frame(2);
  const ssrc = Number(ready['ssrc']);
  const media = await useDatagrams(ready);
  media.send(discoveryQuestion(ssrc));
  await expect.poll(() => media.received.length).toBe(1);
  const mode = 'aead_aes256_gcm_rtpsize';
  voice.send(1, { protocol: 'udp', data: { address: '127.0.0.1', port: media.port, mode } });
  return { ssrc, media };
}

test('the handshake leads to a session description, step by step', async () => {
  const sandbox = await useSandbox({ voice: { heartbeatIntervalMs: 5000 } });
  const scene = await useScene(sandbox);
  const { voice, guild, lounge } = scene;
  guild.addMember('Ada').voice.joins(lounge);
  expect(await voice.frame(8)).toMatchObject({ heartbeat_interval: 5000 });
  voice.send(3, { t: 1234, seq_ack: -1 });
  expect(await voice.frame(6)).toEqual({ t: 1234 });
  const { ssrc, media } = await useMedia(scene);
  const description = await voice.frame(4);

  expect(await voice.frame(2)).toMatchObject({
    ip: '127.0.0.1',
    modes: ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'],
  });
  expect(description).toMatchObject({ mode: 'aead_aes256_gcm_rtpsize' });
  expect(description['secret_key']).toHaveLength(32);
  expect(await voice.frame(11)).toEqual({ user_ids: [lounge.voice.states[1]?.member.user.id] });
  const [answer = Buffer.alloc(0)] = media.received;
  expect([answer.byteLength, answer.readUInt16BE(0), answer.readUInt16BE(2)]).toEqual([74, 2, 70]);
  expect([answer.readUInt32BE(4), answer.readUInt16BE(72)]).toEqual([ssrc, media.port]);
  expect(answer.toString('latin1', 8, 72).replace(/\0+$/, '')).toBe('127.0.0.1');
  expect(voice.frames.slice(0, 5).map(({ op, seq }) => [op, seq])).toEqual([
    [8, undefined],
    [6, undefined],
    [2, 1],
    [11, 2],
    [4, 3],
  ]);
  media.send(Buffer.alloc(8));
  await expect.poll(() => media.received.length).toBe(2);
});

test.each<readonly [string, number, (scene: Scene) => unknown]>([
  ['text that is not a payload', 4002, ({ voice }) => voice.sendText('{')],
  ['an unknown opcode', 4001, ({ voice }) => voice.send(99, {})],
  ['a malformed opcode', 4002, ({ voice, identity }) => voice.send(0, { ...identity, server_id: 1 })],
  ['Speaking before Identify', 4003, ({ voice }) => voice.send(5, { speaking: 1, delay: 0, ssrc: 1 })],
  ['a wrong token', 4004, ({ voice, identity }) => voice.send(0, { ...identity, token: 'x' })],
  ['another session', 4006, ({ voice, identity }) => voice.send(0, { ...identity, session_id: 'x' })],
  ['a second Identify', 4005, ({ voice, identity }) => [voice.send(0, identity), voice.send(0, identity)]],
  [
    'a protocol before the address is known',
    4012,
    ({ voice, identity }) => {
      voice.send(0, identity);
      const data = { address: '127.0.0.1', port: 1, mode: 'aead_aes256_gcm_rtpsize' };
      voice.send(1, { protocol: 'udp', data });
    },
  ],
])('%s ends the connection with %i', async (_name, code, misbehave) => {
  const sandbox = await useSandbox();
  const scene = await useScene(sandbox);
  misbehave(scene);
  expect(await scene.voice.closed).toBe(code);
  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'gateway_rule', what: `voice close ${code}` }]);
});

test('a client that sends no heartbeat is cut off', async () => {
  const sandbox = await useSandbox({ voice: { heartbeatIntervalMs: 50 } });
  const { voice } = await useScene(sandbox);
  expect(await voice.closed).toBe(4009);
  expect(sandbox.takeViolations()).toHaveLength(1);
});

test('a bot that is lost and does not return within a minute leaves the channel', async () => {
  const wireClock = new FakeClock();
  const sandbox = await useSandbox({ wireClock });
  const { voice, lounge, identity, guild } = await useScene(sandbox);
  const ada = guild.addMember('Ada');
  ada.voice.joins(lounge);
  voice.send(0, identity);
  await voice.frame(2);
  sandbox.faults.voiceIn(lounge).close(1006);
  expect(await voice.closed).toBe(1006);
  await wireClock.advance(59_000);
  expect(lounge.voice.states).toHaveLength(2);
  await wireClock.advance(1000);
  expect(lounge.voice.states.map(({ member }) => member.user.id)).toEqual([ada.id]);
});

test('an unknown session cannot be resumed, which is no violation', async () => {
  const sandbox = await useSandbox();
  const { voice, identity } = await useScene(sandbox);
  const { user_id: _userId, max_dave_protocol_version: _version, ...resume } = identity;
  voice.send(7, { ...resume, seq_ack: 3 });
  expect(await voice.closed).toBe(4006);
});

test('unreadable packets, and voice before op 5, are noticed', async () => {
  const sandbox = await useSandbox();
  const scene = await useScene(sandbox);
  const { ssrc, media } = await useMedia(scene);
  const key = (await scene.voice.frame(4))['secret_key'] as number[];
  const cipher = new TransportCipher('aead_aes256_gcm_rtpsize', Uint8Array.from(key));
  const noticed = async (datagram: Buffer, count = 1): Promise<string | undefined> => {
    for (let sent = 0; sent < count; sent++) media.send(datagram);
    await expect.poll(() => sandbox.violations.length).toBe(1);
    return sandbox.takeViolations()[0]?.detail;
  };
  const packet = { ssrc, sequence: 1, timestamp: 960, frame: SILENCE_FRAME };
  const shape = { hasExtension: false, paddingBytes: 0 };
  const good = cipher.seal(rtpParts(packet, shape));
  const bent = Buffer.from(good);
  bent.writeUInt8(good.readUInt8(14) ^ 1, 14);

  expect(await noticed(bent)).toBe('undecryptable');
  expect(await noticed(good.subarray(0, 20))).toBe('undecryptable');
  expect(await noticed(Buffer.from('hello'))).toBe('not_voice');
  expect(await noticed(cipher.seal(rtpParts({ ...packet, ssrc: (ssrc ^ 1) >>> 0 }, shape)))).toBe(
    'wrong_ssrc',
  );
  expect(await noticed(good, 11)).toBe('before_speaking');
  scene.voice.send(5, { speaking: 1, delay: 0, ssrc });
  await expect
    .poll(() => {
      media.send(good);
      return scene.lounge.voice.speakerIds.length;
    })
    .toBe(1);
  // Some of the packets may have overtaken op 5, which is a violation.
  sandbox.takeViolations();
});

test.skipIf(!hasDescription)("voice states match Discord's description", async () => {
  const sandbox = await useSandbox();
  const { gateway, guild, lounge } = await useScene(sandbox);
  guild.addMember('Ada').voice.joins(lounge);
  const states = (): unknown[] =>
    gateway.frames.filter(({ t }) => t === 'VOICE_STATE_UPDATE').map(({ d }) => d);
  await expect.poll(() => states().length).toBe(2);
  const check = new DescriptionCheck();
  expect(states().flatMap((state) => check.compare('VoiceStateResponse', state))).toEqual([]);
});
