import type { Clock, Timer } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import { readJson } from '../../base/read-json.ts';
import { equalSecret } from '../../base/signing.ts';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import {
  CLIENT_PAYLOAD_BYTES_MAX,
  CLOSE_CODES,
  type ClientFrame,
  type Identify,
  OPCODES,
  type Resume,
  type Shard,
  clientFrame,
} from './frames.ts';
import { PRIVILEGED_INTENTS, intentsAreValid } from './intents.ts';
import { Session } from './session.ts';
import type { Wire } from './wire.ts';

const SENDS_PER_MINUTE_MAX = 120;
const MINUTE_MS = 60_000;
/** The number of heartbeat intervals that may pass without a heartbeat from the client. */
const HEARTBEATS_MISSED_MAX = 2;

/** The properties and functions of the gateway server that a connection needs. */
export interface ConnectionHost {
  readonly world: World;
  readonly wireClock: Clock;
  readonly heartbeatIntervalMs: number;
  readonly sessions: Map<string, Session>;
  /** Whether a shard would have more guilds than Discord permits for one session. */
  isTooLarge(application: Application, shard: Shard): boolean;
  /** Uses up one of the application's session starts. Returns false if none are left. */
  takeSessionStart(application: Application): boolean;
  ready(session: Session): void;
  resumed(): void;
  /** Handles a frame with opcode 3, 4 or 8 from a ready session. */
  handle(session: Session, frame: Extract<ClientFrame, { op: 3 | 4 | 8 }>): void;
  /** Whether heartbeats are answered. */
  readonly answersHeartbeats: boolean;
}

type Phase = { readonly is: 'greeted' } | { readonly is: 'ready'; readonly session: Session };

/** One gateway connection, from HELLO until it closes. */
export class Connection {
  readonly #host: ConnectionHost;
  readonly #wire: Wire;
  readonly #isStray: boolean;
  #phase: Phase = { is: 'greeted' };
  #sendsAtMs: number[] = [];
  #silence: Timer;

  /**
   * `isStray` says that the client wanted to reach another gateway, whose port this one uses now. It is rejected like
   * every client with an unknown token, but broke no rule.
   */
  constructor(host: ConnectionHost, wire: Wire, isStray: boolean) {
    this.#host = host;
    this.#wire = wire;
    this.#isStray = isStray;
    this.#silence = this.#expectHeartbeat();
    wire.send({
      op: OPCODES.hello,
      d: { heartbeat_interval: host.heartbeatIntervalMs, _trace: [] },
      s: null,
      t: null,
    });
  }

  get session(): Session | undefined {
    return this.#phase.is === 'ready' ? this.#phase.session : undefined;
  }

  get wire(): Wire {
    return this.#wire;
  }

  /** Handles a message from the client. */
  receive(raw: Buffer): void {
    if (!this.#spendSend())
      return this.#refuse('gateway_rule', CLOSE_CODES.rateLimited, 'More than 120 sends in 60 s');
    if (raw.byteLength > CLIENT_PAYLOAD_BYTES_MAX) {
      return this.#refuse(
        'malformed_gateway_payload',
        CLOSE_CODES.decodeError,
        `Payload of ${raw.byteLength} bytes`,
      );
    }
    const value = readJson(raw.toString('utf8'));
    const op = typeof value === 'object' && value !== null && 'op' in value ? value.op : undefined;
    if (typeof op !== 'number') {
      return this.#refuse('malformed_gateway_payload', CLOSE_CODES.decodeError, 'Not a payload');
    }
    if (![1, 2, 3, 4, 6, 8].includes(op)) {
      return this.#refuse('unknown_gateway_op', CLOSE_CODES.unknownOpcode, `op ${op}`);
    }
    const frame = clientFrame.safeParse(value);
    if (!frame.success) {
      const fields = frame.error.issues.map((issue) => issue.path.join('.')).join(', ');
      return this.#refuse('malformed_gateway_payload', CLOSE_CODES.decodeError, `op ${op}: ${fields}`);
    }
    this.#handle(frame.data);
  }

  /** Handles the end of the connection. */
  ended(): void {
    this.#silence.cancel();
    if (this.#phase.is === 'ready' && this.#phase.session.wire === this.#wire) {
      this.#phase.session.detach(this.#host.wireClock.monotonic());
    }
  }

  #handle(frame: ClientFrame): void {
    switch (frame.op) {
      case OPCODES.heartbeat:
        return this.#heartbeat(frame.d);
      case OPCODES.identify:
        return this.#identify(frame.d);
      case OPCODES.resume:
        return this.#resume(frame.d);
      case OPCODES.presence:
      case OPCODES.voiceState:
      case OPCODES.requestMembers:
        if (this.#phase.is !== 'ready') {
          return this.#refuse('gateway_rule', CLOSE_CODES.notAuthenticated, `op ${frame.op} before IDENTIFY`);
        }
        return this.#host.handle(this.#phase.session, frame);
    }
  }

  #heartbeat(sequence: number | null): void {
    if (this.#phase.is === 'ready' && sequence !== null && sequence > this.#phase.session.sequence) {
      return this.#refuse(
        'gateway_rule',
        CLOSE_CODES.invalidSequence,
        'Heartbeat with a sequence never sent',
      );
    }
    this.#silence.cancel();
    this.#silence = this.#expectHeartbeat();
    if (this.#host.answersHeartbeats)
      this.#wire.send({ op: OPCODES.heartbeatAck, d: null, s: null, t: null });
  }

  #identify(identify: Identify): void {
    if (this.#phase.is === 'ready') {
      return this.#refuse('gateway_rule', CLOSE_CODES.alreadyAuthenticated, 'Second IDENTIFY');
    }
    const application = this.#applicationOf(identify.token);
    if (!application) return this.#refuseToken('IDENTIFY');
    const wrong = wrongIdentify(identify, application);
    if (wrong) return this.#refuse('gateway_rule', wrong.code, wrong.detail);
    const shard = identify.shard ?? [0, 1];
    if (this.#host.isTooLarge(application, shard)) {
      const detail = `Too many guilds for shard ${shard[0]} of ${shard[1]}`;
      return this.#refuse('gateway_rule', CLOSE_CODES.shardingRequired, detail);
    }
    if (!this.#host.takeSessionStart(application)) return this.invalidate(false);
    const session = new Session({
      id: randomId('session').slice(0, 40),
      application,
      intents: identify.intents,
      shard,
      wire: this.#wire,
    });
    this.#host.sessions.set(session.id, session);
    this.#phase = { is: 'ready', session };
    this.#host.ready(session);
  }

  #resume(resume: Resume): void {
    if (this.#phase.is === 'ready') {
      return this.#refuse('gateway_rule', CLOSE_CODES.alreadyAuthenticated, 'RESUME after IDENTIFY');
    }
    const application = this.#applicationOf(resume.token);
    if (!application) return this.#refuseToken('RESUME');
    const session = this.#host.sessions.get(resume.session_id);
    if (session?.application !== application || !session.canResumeAt(this.#host.wireClock.monotonic())) {
      return this.invalidate(false);
    }
    if (resume.seq > session.sequence) {
      this.#host.sessions.delete(session.id);
      return this.#refuse('gateway_rule', CLOSE_CODES.invalidSequence, 'RESUME with a sequence never sent');
    }
    if (!session.canReplayFrom(resume.seq)) return this.invalidate(false);
    session.wire?.close(1000);
    this.#phase = { is: 'ready', session };
    session.resume(this.#wire, resume.seq);
    this.#host.resumed();
    this.#host.world.changes.notify();
  }

  #applicationOf(token: string): Application | undefined {
    const bare = token.replace(/^Bot /, '');
    return [...this.#host.world.applications.values()].find((candidate) =>
      equalSecret(candidate.token, bare),
    );
  }

  /**
   * Invalidates the session (op 9). If `resumable`, the client may resume it on the same connection; otherwise, the
   * client must identify again on it.
   */
  invalidate(resumable: boolean): void {
    if (this.#phase.is === 'ready') {
      this.#phase.session.detach(this.#host.wireClock.monotonic());
      if (!resumable) this.#host.sessions.delete(this.#phase.session.id);
      this.#phase = { is: 'greeted' };
    }
    this.#wire.send({ op: OPCODES.invalidSession, d: resumable, s: null, t: null });
  }

  #refuseToken(frame: 'IDENTIFY' | 'RESUME'): void {
    const code = CLOSE_CODES.authenticationFailed;
    if (this.#isStray) this.#wire.close(code, frame);
    else this.#refuse('unauthorized', code, frame);
  }

  #refuse(
    kind: 'gateway_rule' | 'unauthorized' | 'malformed_gateway_payload' | 'unknown_gateway_op',
    code: number,
    detail: string,
  ): void {
    this.#host.world.violations.record(kind, `gateway close ${code}`, detail);
    this.#wire.close(code, detail.slice(0, 120));
  }

  #expectHeartbeat(): Timer {
    const limitMs = this.#host.heartbeatIntervalMs * HEARTBEATS_MISSED_MAX;
    return this.#host.wireClock.after(
      limitMs,
      () => this.#refuse('gateway_rule', CLOSE_CODES.sessionTimedOut, `No heartbeat for ${limitMs} ms`),
      { background: true },
    );
  }

  #spendSend(): boolean {
    const nowMs = this.#host.wireClock.monotonic();
    this.#sendsAtMs = this.#sendsAtMs.filter((atMs) => atMs > nowMs - MINUTE_MS);
    this.#sendsAtMs.push(nowMs);
    return this.#sendsAtMs.length <= SENDS_PER_MINUTE_MAX;
  }
}

function wrongIdentify(
  identify: Identify,
  application: Application,
): { code: number; detail: string } | undefined {
  const [shard, count] = identify.shard ?? [0, 1];
  if (shard >= count) return { code: CLOSE_CODES.invalidShard, detail: `Shard ${shard} of ${count}` };
  if (!intentsAreValid(identify.intents)) {
    return { code: CLOSE_CODES.invalidIntents, detail: `Intents ${identify.intents}` };
  }
  if ((identify.intents & PRIVILEGED_INTENTS) !== 0 && !application.privilegedIntents) {
    return {
      code: CLOSE_CODES.disallowedIntents,
      detail: `Privileged intents ${identify.intents & PRIVILEGED_INTENTS}`,
    };
  }
  return undefined;
}
