import { parentPort } from 'node:worker_threads';
import { toFloat, toPcm } from '../../../audio/pcm.ts';
import { VoiceConverter } from './voice-converter.ts';
import { renderPreview } from './render-preview.ts';
import type { VoiceAnswer, VoiceRequest } from './voice-protocol.ts';
import type { VoiceProfile } from './voice-profile.ts';
import { voiceById } from './voices.ts';

interface Stream {
  readonly converter: VoiceConverter;
  samples: Float32Array;
}

const port = parentPort;
if (!port) throw new TypeError('Cannot convert voices outside a worker thread');
const streams = new Map<number, Stream>();

port.on('message', (request: VoiceRequest) => {
  if (request.kind === 'close') streams.delete(request.stream);
  else if (request.kind === 'preview') void preview(request);
  else answer(request);
});
send({ kind: 'ready' });

function send(message: VoiceAnswer, transfer: readonly ArrayBuffer[] = []): void {
  port?.postMessage(message, [...transfer]);
}

function answer(request: Extract<VoiceRequest, { kind: 'open' | 'convert' }>): void {
  const { call, stream } = request;
  try {
    if (request.kind === 'open') {
      const converter = new VoiceConverter(profileOf(request.voiceId), request);
      streams.set(stream, { converter, samples: new Float32Array(0) });
      send({ kind: 'opened', call, latencyFrames: converter.latencyFrames });
    } else {
      convert(stream, request.pcm);
      send(
        { kind: 'converted', call, pcm: request.pcm },
        request.pcm.buffer instanceof ArrayBuffer ? [request.pcm.buffer] : [],
      );
    }
  } catch (error) {
    send({ kind: 'failed', call, message: messageOf(error) });
  }
}

async function preview({ call, voiceId }: Extract<VoiceRequest, { kind: 'preview' }>): Promise<void> {
  try {
    const wav = await renderPreview(profileOf(voiceId));
    send({ kind: 'previewed', call, wav }, [wav.buffer]);
  } catch (error) {
    send({ kind: 'failed', call, message: messageOf(error) });
  }
}

function convert(id: number, pcm: Int16Array): void {
  const stream = streams.get(id);
  if (!stream) throw new Error('Cannot convert: the stream is closed');
  if (stream.samples.length < pcm.length) stream.samples = new Float32Array(pcm.length);
  const samples = stream.samples.subarray(0, pcm.length);
  toFloat(pcm, samples);
  stream.converter.process(samples, samples);
  toPcm(samples, pcm);
}

function profileOf(voiceId: string): VoiceProfile {
  const profile = voiceById(voiceId);
  if (!profile) throw new RangeError(`Cannot find the voice "${voiceId}"`);
  return profile;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
