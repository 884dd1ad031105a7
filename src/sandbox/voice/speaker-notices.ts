import type { LinkFaults } from './link-faults.ts';

/** 500 ms of speech. */
const LATE_PACKETS = 25;

/**
 * Tells a client whose ssrc is whose (op 5). Like Discord it does so when the first packet comes, not when somebody
 * joins.
 */
export class SpeakerNotices {
  readonly #faults: LinkFaults;
  readonly #tell: (userId: string, ssrc: number) => void;
  readonly #known = new Map<string, number>();
  readonly #waited = new Map<string, number>();

  constructor(faults: LinkFaults, tell: (userId: string, ssrc: number) => void) {
    this.#faults = faults;
    this.#tell = tell;
  }

  /** Called before each packet of a speaker goes out. */
  beforePacket(speakerId: string, ssrc: number): void {
    if (this.#known.get(speakerId) === ssrc) return;
    const { speakingEvent } = this.#faults.of(speakerId);
    if (speakingEvent === 'missing') return;
    const waited = this.#waited.get(speakerId) ?? 0;
    this.#waited.set(speakerId, waited + 1);
    if (speakingEvent === 'late' && waited < LATE_PACKETS) return;
    this.#waited.delete(speakerId);
    this.#known.set(speakerId, ssrc);
    this.#tell(speakerId, ssrc);
  }

  /** The next packet of the speaker is a first one. */
  forget(speakerId: string): void {
    this.#known.delete(speakerId);
    this.#waited.delete(speakerId);
  }
}
