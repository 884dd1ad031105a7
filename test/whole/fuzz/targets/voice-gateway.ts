import { VoiceWebSocket } from '@discordjs/voice';
import { guardMessages } from '../../../../src/bot/discord/voice/guard-messages.ts';
import { readSpeakers } from '../../../../src/bot/discord/voice/read-speakers.ts';
import { readJson } from '../../../../src/base/read-json.ts';
import { voiceFrame } from '../../../../src/sandbox/voice/voice-frames.ts';
import { distort, jsonText } from '../grammar/json.ts';
import { type FuzzTarget, demand } from '../target.ts';

const TEXT = 't'.charCodeAt(0);
const ID = '123456789012345678';
const FRAMES: readonly unknown[] = [
  { op: 2, d: { ssrc: 1, ip: '127.0.0.1', port: 5_000, modes: ['aead_aes256_gcm_rtpsize'] } },
  { op: 4, d: { mode: 'aead_aes256_gcm_rtpsize', secret_key: [1, 2, 3], dave_protocol_version: 1 } },
  { op: 5, d: { user_id: ID, ssrc: 77, speaking: 1 }, seq: 3 },
  { op: 6, d: { t: 1 } },
  { op: 8, d: { heartbeat_interval: 40_000 } },
  { op: 9, d: null },
  { op: 11, d: { user_ids: [ID] } },
  { op: 12, d: { user_id: ID, audio_ssrc: 5, video_ssrc: 0 } },
  { op: 13, d: { user_id: ID } },
  { op: 21, d: { protocol_version: 1, transition_id: 4 } },
  { op: 0, d: { server_id: ID, user_id: ID, session_id: 's', token: 't' } },
  { op: 1, d: { protocol: 'udp', data: { address: '127.0.0.1', port: 1, mode: 'aead_aes256_gcm_rtpsize' } } },
  { op: 3, d: { t: 5, seq_ack: 1 } },
  { op: 23, d: { transition_id: 1 } },
];

/** The frames that name a speaker. */
const SPEAKERS = FRAMES.filter((frame) => /"(user_id|audio_ssrc)"/.test(JSON.stringify(frame)));

/** Messages from a voice server to the bot, and from a client to the sandbox's voice server. */
export const voiceGateway: FuzzTarget = {
  name: 'voice-gateway',
  generate(random) {
    if (random.happens(20)) return Buffer.concat([Buffer.from('b'), random.bytes(random.count(200))]);
    const frame = random.pick(random.happens(50) ? FRAMES : SPEAKERS);
    return Buffer.from(`t${jsonText(random, random.happens(60) ? distort(random, frame, 10) : frame)}`);
  },
  run(input) {
    const isText = input[0] === TEXT;
    const bytes = input.subarray(1);
    const data = isText ? bytes.toString('utf8') : new Uint8Array(bytes).buffer;
    const told = tell(data);
    demand(
      told.every((id) => /^\d{1,20}$/.test(id)),
      'a speaker has an impossible id',
    );
    const isFrame = isText && voiceFrame.safeParse(readJson(bytes.toString('utf8'))).success;
    return told.length > 0 || isFrame ? 'accepted' : 'refused';
  },
};

/** Passes the data to the bot's end of a voice gateway connection, while the connection resumes and afterwards. */
function tell(data: string | ArrayBuffer): string[] {
  // Port 9 discards everything; the messages come from this function.
  const socket = new VoiceWebSocket('ws://127.0.0.1:9', false);
  socket.on('error', () => undefined);
  const told: string[] = [];
  let isResuming = true;
  guardMessages(socket, { isResuming: () => isResuming, onFault: () => undefined, onFlood: () => undefined });
  readSpeakers(socket, {
    onSpeaker: (id) => told.push(id),
    onGone: (id) => told.push(id),
    onKeys: () => undefined,
  });
  const event = { data } as Parameters<VoiceWebSocket['onMessage']>[0];
  socket.onMessage(event);
  isResuming = false;
  socket.onMessage(event);
  socket.destroy();
  return told;
}
