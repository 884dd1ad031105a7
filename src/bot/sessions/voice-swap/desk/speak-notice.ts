import { type Clock, sleep } from '../../../../base/clock.ts';
import type { VoiceEndpoint } from '../voice-endpoint.ts';

const FRAME_MS = 20;

/**
 * Plays packets of 20 ms each in a channel, each at a fixed time after the first packet. Resolves after the last
 * packet.
 */
export async function speakNotice(
  endpoint: VoiceEndpoint,
  packets: readonly Uint8Array[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const startMs = clock.monotonic();
  for (const [index, packet] of packets.entries()) {
    const waitMs = startMs + index * FRAME_MS - clock.monotonic();
    if (waitMs > 0) await sleep(clock, waitMs, signal);
    signal.throwIfAborted();
    endpoint.speak(packet);
  }
  endpoint.hush();
}
