import type { SeededRandom } from './seeded-random.ts';

/**
 * The faults that affect packets on their way from the voice server to bots. Each percentage is the share of affected
 * packets, which are chosen at random.
 */
export interface VoiceFaults {
  /** The percentage of packets that are lost. Default 0. */
  readonly lossPercent: number;
  /** Out of every `everyPackets` packets, `packets` in a row are lost. Default: none. */
  readonly lossBurst: { readonly packets: number; readonly everyPackets: number } | null;
  /** The percentage of packets that arrive 30 ms late, so that the next packet overtakes them. Default 0. */
  readonly reorderPercent: number;
  /** The percentage of packets that arrive twice. Default 0. */
  readonly duplicatePercent: number;
  /** Each packet is delayed by a random time of up to this many milliseconds. Default 0. */
  readonly jitterMs: number;
  /**
   * The percentage of packets that the bot cannot decrypt, because their transport encryption is damaged. Default 0.
   */
  readonly corruptPercent: number;
  /** The percentage of packets that have RTP padding. Default 10, about the same as on Discord. */
  readonly paddingPercent: number;
  /** Whether packets have a header extension. Default true, as on Discord. */
  readonly hasExtension: boolean;
  /**
   * When a bot learns who owns an SSRC (op 5): with the first packet, after 500 ms of packets, or never. Default: with
   * the first packet.
   */
  readonly speakingEvent: 'first_packet' | 'late' | 'missing';
  /** Whether all packets are lost, in both directions. Default false. */
  readonly isDead: boolean;
}

/** The effect of the faults on one packet. */
interface PacketFate {
  /** The delay of each copy in milliseconds. If the list is empty, the packet is lost. */
  readonly delaysMs: readonly number[];
  readonly isCorrupt: boolean;
  /** Whether a forged copy arrives from another port before the packet. */
  readonly isSpoofed: boolean;
  readonly hasExtension: boolean;
  readonly paddingBytes: number;
}

const USUAL: VoiceFaults = {
  lossPercent: 0,
  lossBurst: null,
  reorderPercent: 0,
  duplicatePercent: 0,
  jitterMs: 0,
  corruptPercent: 0,
  paddingPercent: 10,
  hasExtension: true,
  speakingEvent: 'first_packet',
  isDead: false,
};
const REORDER_MS = 30;
const PADDING_BYTES_MAX = 16;

/** The faults in one call: those for all speakers, and those for individual speakers, which take precedence. */
export class LinkFaults {
  readonly #random: SeededRandom;
  #all: Partial<VoiceFaults> = {};
  readonly #ofSpeaker = new Map<string, Partial<VoiceFaults>>();
  readonly #corruptNext = new Map<string, number>();
  readonly #spoofNext = new Map<string, number>();
  readonly #counts = new Map<string, number>();
  #refusal: { readonly code: number; times: number } | undefined;
  #resumeRefusals = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  /** Adds faults to the current ones, for one speaker or for all. */
  set(faults: Partial<VoiceFaults>, speakerId?: string): void {
    if (speakerId === undefined) this.#all = { ...this.#all, ...faults };
    else this.#ofSpeaker.set(speakerId, { ...this.#ofSpeaker.get(speakerId), ...faults });
  }

  /** Damages the speaker's next `times` packets, so that they cannot be decrypted. */
  corruptNext(speakerId: string, times: number): void {
    this.#corruptNext.set(speakerId, times);
  }

  /** Sends a forged packet with the same SSRC from another port before each of the speaker's next `times` packets. */
  spoofNext(speakerId: string, times: number): void {
    this.#spoofNext.set(speakerId, times);
  }

  /** Makes the next `times` attempts to identify fail with this close code. */
  refuseNext(code: number, times: number): void {
    this.#refusal = { code, times };
  }

  /**
   * Returns the close code with which to reject a bot that identifies now, or undefined if it is accepted. Counts the
   * rejection.
   */
  takeRefusal(): number | undefined {
    if (!this.#refusal || this.#refusal.times <= 0) return undefined;
    this.#refusal.times--;
    return this.#refusal.code;
  }

  /** Makes the next `times` attempts to resume fail. */
  refuseNextResume(times: number): void {
    this.#resumeRefusals = times;
  }

  /** Returns whether to reject a bot that resumes now. Counts the rejection. */
  takeResumeRefusal(): boolean {
    if (this.#resumeRefusals <= 0) return false;
    this.#resumeRefusals--;
    return true;
  }

  /** Removes all faults. */
  clear(): void {
    this.#all = {};
    this.#refusal = undefined;
    this.#resumeRefusals = 0;
    for (const map of [this.#ofSpeaker, this.#corruptNext, this.#spoofNext, this.#counts]) map.clear();
  }

  /** The faults that apply to speakers without faults of their own. */
  get ofAll(): VoiceFaults {
    return { ...USUAL, ...this.#all };
  }

  of(speakerId: string): VoiceFaults {
    return { ...USUAL, ...this.#all, ...this.#ofSpeaker.get(speakerId) };
  }

  /** Whether all packets between the voice server and a bot are lost. */
  isDeadFor(botId: string): boolean {
    return this.of(botId).isDead;
  }

  /**
   * Whether a packet from a bot is lost on its way to the voice server. Among the faults that are set for all speakers,
   * only `isDead` applies here.
   */
  losesFrom(botId: string): boolean {
    const own = this.#ofSpeaker.get(botId);
    return this.isDeadFor(botId) || this.#random.happens(own?.lossPercent ?? 0);
  }

  /** Decides the effect of the faults on the speaker's next packet. */
  next(speakerId: string): PacketFate {
    const faults = this.of(speakerId);
    const random = this.#random;
    const isLost = faults.isDead || this.#isInBurst(speakerId, faults) || random.happens(faults.lossPercent);
    const delayMs = (): number =>
      (random.happens(faults.reorderPercent) ? REORDER_MS : 0) +
      (faults.jitterMs > 0 ? random.next() * faults.jitterMs : 0);
    const copies = isLost ? 0 : random.happens(faults.duplicatePercent) ? 2 : 1;
    const isCorrupt = take(this.#corruptNext, speakerId) || random.happens(faults.corruptPercent);
    return {
      delaysMs: Array.from({ length: copies }, delayMs),
      isCorrupt,
      isSpoofed: take(this.#spoofNext, speakerId),
      hasExtension: faults.hasExtension,
      paddingBytes: random.happens(faults.paddingPercent) ? 1 + (random.nextUint32() % PADDING_BYTES_MAX) : 0,
    };
  }

  #isInBurst(speakerId: string, { lossBurst }: VoiceFaults): boolean {
    if (!lossBurst) return false;
    const count = this.#counts.get(speakerId) ?? 0;
    this.#counts.set(speakerId, count + 1);
    return count % lossBurst.everyPackets >= lossBurst.everyPackets - lossBurst.packets;
  }
}

function take(left: Map<string, number>, speakerId: string): boolean {
  const times = left.get(speakerId) ?? 0;
  if (times > 0) left.set(speakerId, times - 1);
  return times > 0;
}
