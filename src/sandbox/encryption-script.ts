import type { Calls } from './voice/calls.ts';
import { DaveEncryption } from './voice/dave/dave-encryption.ts';

/** The end-to-end encryption of one voice channel's call: how it stands, and its failures on order. */
export class ChannelEncryption {
  readonly #calls: Calls;
  readonly #channelId: string;

  constructor(calls: Calls, channelId: string) {
    this.#calls = calls;
    this.#channelId = channelId;
  }

  /** Of DAVE; 0: the call goes on in clear. */
  get version(): number {
    return this.#encryption?.call.version ?? 0;
  }

  /** One more with each set of keys; 0 until two have agreed on the first. */
  get epoch(): number {
    return Number(this.#encryption?.call.epoch ?? 0);
  }

  /** Whether somebody has the current keys. */
  includes(participant: { readonly id: string }): boolean {
    return this.#encryption?.includes(participant.id) ?? false;
  }

  /** The next `times` Welcomes are of no use: whoever gets one says so (op 31) and is removed and added again. */
  corruptWelcome(times = 1): void {
    this.#demand().call.faults.corruptWelcome(times);
  }

  /** Commits to what is proposed now, or next, are never announced: whoever joined stays outside until the next ones. */
  loseCommits(): void {
    this.#demand().call.faults.loseCommits();
  }

  /** Transitions are executed so much later than everybody was ready, in milliseconds, until set back to 0. */
  delayTransitions(delayMs: number): void {
    this.#demand().call.faults.executeDelayMs = delayMs;
  }

  /**
   * While true, the first transition of a group has a number like all others; usually it is 0, and the voice library
   * cannot recover after that.
   */
  numberFirstTransition(isNumbered = true): void {
    this.#demand().call.faults.numbersFirst = isNumbered;
  }

  /** The next `times` frames that a member says go out unencrypted. */
  leavePlain(member: { readonly id: string }, times = 1): void {
    this.#demand().call.faults.leavePlain(member.id, times);
  }

  /** While true, only bots commit to proposals; else members are always the first, being here already. */
  letBotsCommit(isTheirs = true): void {
    this.#demand().call.faults.membersKeepQuiet = isTheirs;
  }

  /** Has the call go on in clear whoever is there (a downgrade), or be encrypted again (an upgrade). */
  keepPlain(isPlain = true): void {
    this.#demand().call.keepPlain(isPlain);
  }

  /** Has everybody make a new group (op 24); who is alone also gets transition 0. */
  restart(): void {
    this.#demand().call.restart();
  }

  /** Has everybody agree on new keys twice, as if somebody came and went whom only the voice server knows of. */
  rekey(): void {
    this.#demand().rekey();
  }

  /** The same every so often until disposed, at most until the sandbox closes. */
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
