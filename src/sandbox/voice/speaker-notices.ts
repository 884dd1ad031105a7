import type { LinkFaults } from './link-faults.ts';

/** The number of packets in 500 ms of speech. */
const LATE_PACKETS = 25;

/**
 * Informs a client which user owns an SSRC (op 5). Like Discord, it does so when the user's first packet arrives, not
 * when the user joins.
 */
export class SpeakerNotices {
  readonly #faults: LinkFaults;
  readonly #notify: (userId: string, ssrc: number) => void;
  readonly #known = new Map<string, number>();
  readonly #waited = new Map<string, number>();

  constructor(faults: LinkFaults, notify: (userId: string, ssrc: number) => void) {
    this.#faults = faults;
    this.#notify = notify;
  }

  /** Called before each packet of a speaker is sent. */
  beforePacket(speakerId: string, ssrc: number): void {
    if (this.#known.get(speakerId) === ssrc) return;
    const { speakingEvent } = this.#faults.of(speakerId);
    if (speakingEvent === 'missing') return;
    const waited = this.#waited.get(speakerId) ?? 0;
    this.#waited.set(speakerId, waited + 1);
    if (speakingEvent === 'late' && waited < LATE_PACKETS) return;
    this.#waited.delete(speakerId);
    this.#known.set(speakerId, ssrc);
    this.#notify(speakerId, ssrc);
  }

  /** Makes the speaker's next packet count as the first one. */
  forget(speakerId: string): void {
    this.#known.delete(speakerId);
    this.#waited.delete(speakerId);
  }
}
