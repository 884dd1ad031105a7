import type { VoiceWebSocket } from '@discordjs/voice';
import { z } from 'zod';

export interface SpeakerListener {
  /** Called when the voice server assigns a stream to a member. */
  readonly onSpeaker: (userId: string, ssrc: number) => void;
  readonly onGone: (userId: string) => void;
  /** Called after the library has handled a message about the call's keys. */
  readonly onKeys: () => void;
}

const userId = z.string().regex(/^\d{1,20}$/);
const ssrc = z.int().min(1).max(0xffff_ffff);
/** The messages that assign or remove streams. */
const message = z.union([
  z.object({ op: z.literal(5), d: z.object({ user_id: userId, ssrc }) }),
  z.object({ op: z.literal(12), d: z.object({ user_id: userId, audio_ssrc: ssrc }) }),
  z.object({ op: z.literal(13), d: z.object({ user_id: userId }) }),
]);

/** The opcodes of the messages that prepare or execute a transition, or prepare an epoch. */
const OF_KEYS: ReadonlySet<unknown> = new Set([21, 22, 24]);

/**
 * Reads from a voice server's messages which stream belongs to which member. Must be called after the library has
 * added its listener.
 */
export function readSpeakers(socket: VoiceWebSocket, listener: SpeakerListener): void {
  const { onSpeaker, onGone, onKeys } = listener;
  socket.on('binary', onKeys);
  socket.on('packet', (packet: { readonly op?: unknown } | null) => {
    if (OF_KEYS.has(packet?.op)) return onKeys();
    const parsed = message.safeParse(packet);
    if (!parsed.success) return;
    const { op, d } = parsed.data;
    if (op === 5) onSpeaker(d.user_id, d.ssrc);
    else if (op === 12) onSpeaker(d.user_id, d.audio_ssrc);
    else onGone(d.user_id);
  });
}
