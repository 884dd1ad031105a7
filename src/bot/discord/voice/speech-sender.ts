import type { Networking, NetworkingReadyState } from '@discordjs/voice';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { canEncrypt } from './call-cipher.ts';

/** A connection that can send packets. */
interface Sending {
  readonly networking: Networking;
  readonly state: Pick<NetworkingReadyState, 'connectionData' | 'dave'>;
}

interface SpeechSenderOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly sending: () => Sending | null;
  /** Called if a packet could not be sent because the call's keys have not been established. */
  readonly onKeysMissing: () => void;
}

const SAMPLES_PER_MS = 48;
const FRAME_SAMPLES = 960;
const TIMESTAMPS = 2 ** 32;
/** A packet that is more than this many samples late counts as sent after a pause. */
const SLACK_SAMPLES = 3 * FRAME_SAMPLES;
/** The size limit of an Opus packet, in bytes: three frames of the largest size. */
const OPUS_BYTES_MAX = 3 * 1_276;
const SILENCE: Buffer = Buffer.from([0xf8, 0xff, 0xfe]);
const SILENCE_FRAMES = 5;

/**
 * Sends packets immediately, with timestamps that also advance during pauses. The library advances its timestamps only
 * when it sends a packet, which would hide pauses from listeners.
 */
export class SpeechSender {
  readonly #options: SpeechSenderOptions;
  /** The timestamp of the next packet, and the time at which it is due, if no pause comes before it. */
  #next: { readonly timestamp: number; readonly dueMs: number } | null = null;
  #isSpeaking = false;
  #hasFailed = false;

  constructor(options: SpeechSenderOptions) {
    this.#options = options;
  }

  /** Resets the timestamps, because a new connection starts with its own timestamps. */
  restart(): void {
    this.#next = null;
    this.#isSpeaking = false;
  }

  speak(opus: Uint8Array): boolean {
    const sending = this.#options.sending();
    if (!sending || opus.length === 0 || opus.length > OPUS_BYTES_MAX) return false;
    // Without keys, the library would send the packet unencrypted.
    if (!canEncrypt(sending.state.dave)) {
      this.#options.onKeysMissing();
      return false;
    }
    return this.#send(sending, Buffer.from(opus.buffer, opus.byteOffset, opus.byteLength));
  }

  hush(): void {
    const sending = this.#options.sending();
    if (!sending || !this.#isSpeaking) return;
    for (let frame = 0; frame < SILENCE_FRAMES; frame++) this.#send(sending, SILENCE);
    this.#isSpeaking = false;
    sending.networking.setSpeaking(false);
  }

  #send({ networking, state }: Sending, opus: Buffer): boolean {
    const { connectionData } = state;
    const nowMs = this.#options.clock.monotonic();
    const next = this.#next ?? { timestamp: connectionData.timestamp, dueMs: nowMs };
    const pause = pauseOf((nowMs - next.dueMs) * SAMPLES_PER_MS);
    const timestamp = (next.timestamp + pause) % TIMESTAMPS;
    connectionData.timestamp = timestamp;
    try {
      networking.prepareAudioPacket(opus);
      if (!networking.dispatchAudio()) return false;
    } catch (error) {
      this.#fail(error);
      return false;
    }
    this.#isSpeaking = true;
    this.#next = {
      timestamp: (timestamp + FRAME_SAMPLES) % TIMESTAMPS,
      dueMs: next.dueMs + (pause + FRAME_SAMPLES) / SAMPLES_PER_MS,
    };
    return true;
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.log.warn({ error }, 'Cannot send speech');
  }
}

/** Returns the length of a pause in samples, rounded down to whole frames. */
function pauseOf(lateSamples: number): number {
  if (lateSamples <= SLACK_SAMPLES) return 0;
  return Math.floor(lateSamples / FRAME_SAMPLES) * FRAME_SAMPLES;
}
