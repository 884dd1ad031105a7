import type { Calls } from './voice/calls.ts';
import { DaveEncryption } from './voice/dave/dave-encryption.ts';

/** The end-to-end encryption of a voice channel's call: its state, and faults to inject. */
export class ChannelEncryption {
  readonly #calls: Calls;
  readonly #channelId: string;

  constructor(calls: Calls, channelId: string) {
    this.#calls = calls;
    this.#channelId = channelId;
  }

  /** The DAVE version; 0 means that the call is not end-to-end encrypted. */
  get version(): number {
    return this.#encryption?.call.version ?? 0;
  }

  /** Increases with each set of keys; 0 until two participants have agreed on the first set. */
  get epoch(): number {
    return Number(this.#encryption?.call.epoch ?? 0);
  }

  /** Whether the participant has the current keys. */
  includes(participant: { readonly id: string }): boolean {
    return this.#encryption?.includes(participant.id) ?? false;
  }

  /**
   * Corrupts the next `times` Welcomes. A participant who receives a corrupt one reports it (op 31) and is then removed
   * and added again.
   */
  corruptWelcome(times = 1): void {
    this.#demand().call.faults.corruptWelcome(times);
  }

  /**
   * Does not announce the commits to the current or next proposals, so a participant who is waiting to be added stays
   * outside until a later commit is announced.
   */
  loseCommits(): void {
    this.#demand().call.faults.loseCommits();
  }

  /** Executes transitions this many milliseconds after everybody is ready, until the delay is set back to 0. */
  delayTransitions(delayMs: number): void {
    this.#demand().call.faults.executeDelayMs = delayMs;
  }

  /**
   * While true, the first transition of a group is numbered like all others. Otherwise its number is 0, and the voice
   * library cannot recover after a transition 0.
   */
  numberFirstTransition(isNumbered = true): void {
    this.#demand().call.faults.numbersFirst = isNumbered;
  }

  /** Sends the next `times` frames of a member's speech unencrypted. */
  leavePlain(member: { readonly id: string }, times = 1): void {
    this.#demand().call.faults.leavePlain(member.id, times);
  }

  /**
   * While true, only bots commit to proposals. Otherwise members always commit before bots, because members run in this
   * process.
   */
  letBotsCommit(isTheirs = true): void {
    this.#demand().call.faults.membersKeepQuiet = isTheirs;
  }

  /** Switches the call's end-to-end encryption off for everyone (a downgrade), or on again (an upgrade). */
  keepPlain(isPlain = true): void {
    this.#demand().call.keepPlain(isPlain);
  }

  /** Makes everybody create a new group (op 24). A participant who is alone also gets transition 0. */
  restart(): void {
    this.#demand().call.restart();
  }

  /**
   * Makes everybody agree on new keys twice, as if a participant whom only the voice server can see had joined and
   * left.
   */
  rekey(): void {
    this.#demand().rekey();
  }

  /** Calls `rekey` at this interval until disposed, or until the sandbox closes. */
  rekeyEvery(intervalMs: number): Disposable {
    return this.#demand().rekeyEvery(intervalMs);
  }

  get #encryption(): DaveEncryption | undefined {
    const { encryption } = this.#calls.of(this.#channelId);
    return encryption instanceof DaveEncryption ? encryption : undefined;
  }

  #demand(): DaveEncryption {
    if (!this.#encryption) throw new Error('Cannot do that: calls in this channel are never encrypted');
    return this.#encryption;
  }
}
