import type { Clock } from '../../../base/clock.ts';
import { DaveFaults } from './dave-faults.ts';
import {
  DAVE_OPCODES,
  DAVE_VERSION,
  type DaveAnswer,
  type DaveClient,
  type DaveMessage,
} from './dave-frames.ts';
import { KeyExchange } from './key-exchange.ts';
import { MlsError } from './mls-error.ts';
import { Transitions } from './transitions.ts';

/** Options for a call. */
interface DaveCallOptions {
  readonly channelId: string;
  readonly clock: Clock;
  /** Called with a message that a well-behaved client does not send. */
  readonly onMisuse?: (client: DaveClient, op: number, detail: string) => void;
}

/**
 * The end-to-end encryption of one voice channel. Its clients are connections of bots as well as members of the
 * sandbox. The call sends them messages and handles their answers one at a time. The call is encrypted while everybody
 * in it supports encryption.
 */
export class DaveCall implements Disposable {
  readonly faults: DaveFaults = new DaveFaults();
  readonly #options: DaveCallOptions;
  readonly #transitions: Transitions;
  readonly #exchange: KeyExchange;
  readonly #clients = new Set<DaveClient>();
  readonly #tasks: (() => void)[] = [];
  #isBusy = false;
  #version = 0;
  #isPlainOnOrder = false;

  constructor(options: DaveCallOptions) {
    const { channelId } = options;
    this.#options = options;
    const clock: Pick<Clock, 'after'> = {
      after: (delayMs, fire, how) => options.clock.after(delayMs, () => this.#do(fire), how),
    };
    this.#transitions = new Transitions(clock, () => this.faults.executeDelayMs);
    this.#exchange = new KeyExchange({
      channelId,
      clock,
      transitions: this.#transitions,
      faults: this.faults,
    });
  }

  /** The current version of the protocol; 0 means none. */
  get version(): number {
    return this.#version;
  }

  /** Returns the version that the call would have with a newcomer that supports versions up to `versionMax`. */
  versionWith(versionMax: number): number {
    return this.#bestVersion(versionMax);
  }

  /** The epoch of the group; 0 until the first two clients have agreed on keys. */
  get epoch(): bigint {
    return this.#exchange.epoch;
  }

  get clients(): ReadonlySet<DaveClient> {
    return this.#clients;
  }

  /** Whether a client is in the group of the current epoch. */
  isMember(client: DaveClient): boolean {
    return this.#exchange.isMember(client);
  }

  join(client: DaveClient): void {
    this.#do(() => {
      this.#clients.add(client);
      if (this.#clients.size === 1) this.#version = this.#bestVersion();
      else this.#adapt(client);
      client.describe(this.#version);
      if (this.#version > 0) this.#exchange.enter(client);
    });
  }

  leave(client: DaveClient): void {
    this.#do(() => {
      if (!this.#clients.delete(client)) return;
      this.#transitions.release(client);
      if (this.#version > 0) this.#exchange.leave(client);
      this.#adapt();
    });
  }

  /** Sends a message to everybody in the call. */
  broadcast(message: DaveMessage): void {
    this.#do(() => {
      for (const client of this.#clients) client.send(message);
    });
  }

  /** Handles a client's message about the encryption. */
  receive(client: DaveClient, answer: DaveAnswer): void {
    this.#do(() => {
      if (!this.#clients.has(client)) return;
      try {
        this.#take(client, answer);
      } catch (error) {
        if (!(error instanceof MlsError)) throw error;
        if (error.code !== 'late') this.#options.onMisuse?.(client, answer.op, error.message);
      }
    });
  }

  /**
   * Keeps the call unencrypted. If `isPlain` is false, encrypts it again as soon as all clients support encryption.
   */
  keepPlain(isPlain: boolean): void {
    this.#do(() => {
      this.#isPlainOnOrder = isPlain;
      this.#adapt();
    });
  }

  /**
   * Makes everybody create a new group, as after a fault in the voice server. A client that is alone in the call also
   * gets transition 0.
   */
  restart(): void {
    this.#do(() => {
      if (this.#version === 0) return;
      this.#transitions.executeAll();
      this.#exchange.restart(this.#clients);
    });
  }

  [Symbol.dispose](): void {
    this.#clients.clear();
    this.#exchange.stop();
    this.#transitions.clear();
  }

  #take(client: DaveClient, answer: DaveAnswer): void {
    switch (answer.op) {
      case DAVE_OPCODES.readyForTransition:
        return this.#transitions.ready(client, answer.d.transition_id);
      case DAVE_OPCODES.invalidCommitWelcome:
        this.#transitions.release(client, answer.d.transition_id);
        if (this.#version > 0) this.#exchange.takeComplaint(client);
        return;
      case DAVE_OPCODES.keyPackage:
        if (this.#version > 0) this.#exchange.takeKeyPackage(client, answer.payload);
        return;
      case DAVE_OPCODES.commitWelcome:
        if (this.#version > 0) this.#exchange.takeCommit(client, answer.payload);
    }
  }

  #bestVersion(versionMax = DAVE_VERSION): number {
    if (this.#isPlainOnOrder) return 0;
    const versions = [...this.#clients].map((client) => client.versionMax);
    return Math.min(DAVE_VERSION, versionMax, ...versions);
  }

  /**
   * Changes the call to the newest version that everybody supports. A newcomer starts with that version and gets no
   * message about the change.
   */
  #adapt(newcomer?: DaveClient): void {
    if (this.#clients.size === 0) return;
    const version = this.#bestVersion();
    if (version === this.#version) return;
    this.#version = version;
    const others = [...this.#clients].filter((client) => client !== newcomer);
    // Pending transitions are executed now. If they were executed later, they would restore an earlier version.
    this.#transitions.executeAll();
    if (version > 0) return this.#exchange.restart(others, true);
    this.#exchange.stop();
    const id = this.#transitions.begin(others);
    for (const client of others) {
      client.send({
        op: DAVE_OPCODES.prepareTransition,
        d: { protocol_version: version, transition_id: id },
      });
    }
  }

  /**
   * Runs a task after all earlier tasks, because members answer while messages are still being sent to other clients.
   */
  #do(task: () => void): void {
    this.#tasks.push(task);
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (let next = this.#tasks.shift(); next; next = this.#tasks.shift()) next();
    } finally {
      this.#isBusy = false;
    }
  }
}
