import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { ZERO } from '../../../../src/base/money.ts';
import { type WireVoiceSession, wireVoiceFormat } from '../../../../src/media-api/wire.ts';
import { streamUrl } from '../../../media-server/sessions/stream-client.ts';
import type { CloseReason, LineEnd } from '../../../../src/bot/sessions/line-end.ts';
import type { LineStanding } from '../../../../src/bot/sessions/line-standing.ts';
import type { VoiceLine } from '../../../../src/bot/sessions/voice-line.ts';

/** A line over a session's socket, without a meter and without accounting. */
export class StreamLine implements VoiceLine {
  readonly id: string;
  readonly sampleRateHz: number;
  readonly chunkFrames: number;
  readonly standing: LineStanding = { meteredMs: 0, quietMs: 0, leftMs: 60_000, estimate: ZERO, held: ZERO };
  readonly #socket: WebSocket;
  /** The numbers of samples sent and received. */
  sent = 0;
  received = 0;

  private constructor(id: string, socket: WebSocket, format: { sample_rate: number; chunk_frames: number }) {
    this.id = id;
    this.#socket = socket;
    this.sampleRateHz = format.sample_rate;
    this.chunkFrames = format.chunk_frames;
  }

  static async open(session: WireVoiceSession): Promise<StreamLine> {
    const socket = new WebSocket(streamUrl(session));
    onTestFinished(() => socket.terminate());
    const [greeting] = (await once(socket, 'message')) as [Buffer];
    const format: unknown = JSON.parse(greeting.toString());
    return new StreamLine(session.session_id, socket, wireVoiceFormat.parse(format));
  }

  send(samples: Int16Array): boolean {
    this.sent += samples.length;
    this.#socket.send(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength));
    return true;
  }

  onConverted(listener: (samples: Int16Array) => void): void {
    this.#socket.on('message', (data: Buffer) => {
      const samples = new Int16Array(Uint8Array.from(data).buffer);
      this.received += samples.length;
      listener(samples);
    });
  }

  onEnd(listener: (end: LineEnd) => void): void {
    this.#socket.once('close', (code) => listener({ kind: 'lost', code }));
  }

  async close(_reason: CloseReason): Promise<void> {
    this.#socket.close();
    await once(this.#socket, 'close');
  }
}
