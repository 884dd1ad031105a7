import type { Dispatch } from '../chat/world.ts';
import type { Payload } from '../chat/payload.ts';
import type { Application } from '../chat/user.ts';
import { OPCODES, type Shard } from './frames.ts';
import type { Wire } from './wire.ts';

const REPLAY_EVENTS_MAX = 2000;
/** How long a session without a connection can be resumed. */
const RESUME_WINDOW_MS = 5 * 60_000;

interface SentEvent {
  readonly s: number;
  readonly frame: object;
}

/**
 * An identified session. It outlives its connection: it continues to number and store events, so that a client that
 * resumes receives all events that it missed.
 */
export class Session {
  readonly id: string;
  readonly application: Application;
  readonly intents: number;
  readonly shard: Shard;
  /** When the last connection ended; null while the session has a connection. */
  lostAtMs: number | null = null;
  #wire: Wire | undefined;
  #sequence = 0;
  #events: SentEvent[] = [];

  constructor(options: {
    readonly id: string;
    readonly application: Application;
    readonly intents: number;
    readonly shard: Shard;
    readonly wire: Wire;
  }) {
    this.id = options.id;
    this.application = options.application;
    this.intents = options.intents;
    this.shard = options.shard;
    this.#wire = options.wire;
  }

  get sequence(): number {
    return this.#sequence;
  }

  get wire(): Wire | undefined {
    return this.#wire;
  }

  /** Whether this session receives a guild's events or, if `guildId` is undefined, the events without a guild. */
  covers(guildId: string | undefined): boolean {
    return shardCovers(this.shard, guildId);
  }

  wants(dispatch: Dispatch): boolean {
    if (dispatch.applicationId && dispatch.applicationId !== this.application.id) return false;
    if (dispatch.intents !== 0 && (dispatch.intents & this.intents) === 0) return false;
    return this.covers(dispatch.guildId);
  }

  /** Numbers an event, stores it for a replay, and sends it if a client is connected. */
  dispatch(event: string, data: Payload): void {
    this.#sequence++;
    const frame = { op: OPCODES.dispatch, t: event, s: this.#sequence, d: data };
    this.#events.push({ s: this.#sequence, frame });
    if (this.#events.length > REPLAY_EVENTS_MAX) this.#events.shift();
    this.#wire?.send(frame);
  }

  canResumeAt(nowMs: number): boolean {
    return this.lostAtMs === null || nowMs - this.lostAtMs < RESUME_WINDOW_MS;
  }

  /** Whether all events after `seq` are still stored. */
  canReplayFrom(seq: number): boolean {
    const first = this.#events[0];
    return seq <= this.#sequence && (first === undefined || seq >= first.s - 1);
  }

  /** Switches to a new connection and sends the missed events. */
  resume(wire: Wire, seq: number): void {
    this.#wire = wire;
    this.lostAtMs = null;
    for (const event of this.#events) if (event.s > seq) wire.send(event.frame);
    this.dispatch('RESUMED', {});
  }

  detach(nowMs: number): void {
    this.#wire = undefined;
    this.lostAtMs = nowMs;
  }
}

/** Whether a shard receives the events of a guild. Events without a guild go to the first shard. */
export function shardCovers([id, count]: Shard, guildId: string | undefined): boolean {
  return guildId === undefined ? id === 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)) === id;
}
