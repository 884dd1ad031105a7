import type { Clock, Timer } from '../../base/clock.ts';
import type { World } from '../chat/world.ts';
import { SILENCE_FRAME } from '../voice/speech.ts';

/** After this long without a packet, a speaker no longer counts as speaking. */
const QUIET_AFTER_MS = 300;

/** The users who are currently speaking, according to the packets that the voice server forwards. */
export class SpeakerWatch implements Disposable {
  readonly #clock: Clock;
  readonly #timers = new Map<string, Timer>();
  readonly #changed: (channelId: string, userId: string) => void;
  readonly #stop: () => void;

  /** Calls `changed` when a user starts or stops speaking. */
  constructor(world: World, clock: Clock, changed: (channelId: string, userId: string) => void) {
    this.#clock = clock;
    this.#changed = changed;
    this.#stop = world.calls.listen({
      spoke: (channelId, userId, opus) => {
        if (!opus || !isSilence(opus)) this.#spoke(channelId, userId);
      },
    });
  }

  isSpeaking(channelId: string, userId: string): boolean {
    return this.#timers.has(`${channelId}:${userId}`);
  }

  [Symbol.dispose](): void {
    this.#stop();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #spoke(channelId: string, userId: string): void {
    const key = `${channelId}:${userId}`;
    const before = this.#timers.get(key);
    before?.cancel();
    const end = (): void => {
      this.#timers.delete(key);
      this.#changed(channelId, userId);
    };
    this.#timers.set(key, this.#clock.after(QUIET_AFTER_MS, end, { background: true }));
    if (!before) this.#changed(channelId, userId);
  }
}

function isSilence(opus: Uint8Array): boolean {
  return opus.length === SILENCE_FRAME.length && opus.every((byte, index) => byte === SILENCE_FRAME[index]);
}
