/**
 * Writes the notice that the bot speaks when it joins a voice channel: Opus in Ogg, mono, one packet per 20 ms. Run it
 * by hand after its wording has changed: node .ci/make-voice-notice.mjs
 */
import { writeFileSync } from 'node:fs';
import { Application, Signal, createEncoder } from 'libopus-wasm';
import { Resampler } from '../src/audio/resampler.ts';
import { FLITE_SAMPLE_RATE_HZ, Flite } from '../src/media-server/engine/speech/flite.ts';

const WORDS = 'Voice conversion is on. Members who join it are heard by this bot.';
const RATE_HZ = 48_000;
const FRAME = RATE_HZ / 50;
const PEAK = 0.5;
const SERIAL = 0x6d71;
const PACKETS_PER_PAGE = 50;

const spoken = trimmed((await Flite.load()).say('slt', WORDS).samples);
const samples = resampled(spoken);
const encoder = await createEncoder({
  channels: 1,
  sampleRate: RATE_HZ,
  application: Application.Audio,
  signal: Signal.Voice,
  bitrate: 24_000,
});
const lookahead = encoder.getLookahead();
const packets = [];
for (let at = 0; at < samples.length + lookahead; at += FRAME) {
  const frame = new Float32Array(FRAME);
  frame.set(samples.subarray(at, at + FRAME));
  packets.push(Buffer.from(encoder.encodeFloat(frame)));
}
encoder.free();
writeFileSync(new URL('../src/bot/sessions/voice-swap/desk/voice-notice.ogg', import.meta.url), ogg(packets));

function trimmed(samples) {
  const isLoud = (value) => Math.abs(value) > 0.005;
  const margin = FLITE_SAMPLE_RATE_HZ / 20;
  const from = Math.max(0, samples.findIndex(isLoud) - margin);
  return samples.slice(from, samples.findLastIndex(isLoud) + margin);
}

function resampled(input) {
  const resampler = new Resampler(FLITE_SAMPLE_RATE_HZ, RATE_HZ);
  const padded = new Float32Array(input.length + resampler.delayFrames + 1);
  padded.set(input);
  const output = new Float32Array(resampler.outputFramesMax(padded.length));
  const filled = output.subarray(0, resampler.process(padded, output));
  const peak = filled.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return filled.map((value) => (value * PEAK) / peak);
}

function ogg(all) {
  const head = Buffer.from('OpusHead\x01\x01\0\0\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt16LE(lookahead, 10);
  head.writeUInt32LE(RATE_HZ, 12);
  const vendor = Buffer.from('masquerade');
  const tags = Buffer.concat([Buffer.from('OpusTags'), uint32(vendor.length), vendor, uint32(0)]);
  const pages = [page([head], 0, 0, 2), page([tags], 1, 0, 0)];
  for (let from = 0; from < all.length; from += PACKETS_PER_PAGE) {
    const part = all.slice(from, from + PACKETS_PER_PAGE);
    const isLast = from + PACKETS_PER_PAGE >= all.length;
    pages.push(page(part, pages.length, (from + part.length) * FRAME, isLast ? 4 : 0));
  }
  return Buffer.concat(pages);
}

function page(parts, number, position, flags) {
  const lacing = parts.flatMap(({ length }) => [...Array(Math.floor(length / 255)).fill(255), length % 255]);
  const header = Buffer.alloc(27 + lacing.length);
  header.write('OggS', 0, 'latin1');
  header[5] = flags;
  header.writeBigUInt64LE(BigInt(position), 6);
  header.writeUInt32LE(SERIAL, 14);
  header.writeUInt32LE(number, 18);
  header[26] = lacing.length;
  header.set(lacing, 27);
  const bytes = Buffer.concat([header, ...parts]);
  bytes.writeUInt32LE(crc(bytes), 22);
  return bytes;
}

function crc(bytes) {
  let sum = 0;
  for (const byte of bytes) {
    sum = (sum ^ (byte << 24)) >>> 0;
    for (let bit = 0; bit < 8; bit++) sum = (sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1) >>> 0;
  }
  return sum;
}

function uint32(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
