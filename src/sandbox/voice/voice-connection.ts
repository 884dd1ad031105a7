import type { Clock, Timer } from '../../base/clock.ts';
import { readJson } from '../../base/read-json.ts';
import type { ViolationLog } from '../violations.ts';
import {
  ENCRYPTION_OPCODES,
  VOICE_CLOSE_CODES,
  VOICE_OPCODES,
  type VoiceFrame,
  type VoiceIdentify,
  type VoiceResume,
  canResumeAfter,
  voiceFrame,
} from './voice-frames.ts';
import type { VoiceRefusal } from './voice-refusal.ts';
import type { VoiceSession } from './voice-session.ts';
import type { VoiceWire } from './voice-wire.ts';

/** After this many heartbeat intervals without a heartbeat, the connection is closed. */
const HEARTBEATS_MISSED_MAX = 2;

/** The parts of the server that a connection needs. */
export interface VoiceConnectionHost {
  readonly violations: ViolationLog;
  readonly clock: Clock;
  readonly heartbeatIntervalMs: number;
  /** Returns a new session if the token is valid, or the reason for rejecting the client. */
  identify(identify: VoiceIdentify): VoiceSession | VoiceRefusal;
  /** Returns the session to continue, or the reason for rejecting the client. */
  resume(resume: VoiceResume): VoiceSession | VoiceRefusal;
  /** The data of op 2 (READY) apart from the SSRC. */
  readonly media: { readonly ip: string; readonly port: number; readonly modes: readonly string[] };
  /** Called when the session has lost its connection. `canResume` is true if the client may resume it. */
  lost(session: VoiceSession, canResume: boolean): void;
}

/** One voice gateway connection, from HELLO until it closes. */
export class VoiceConnection {
  readonly #host: VoiceConnectionHost;
  readonly #wire: VoiceWire;
  #session: VoiceSession | undefined;
  #silence: Timer;

  constructor(host: VoiceConnectionHost, wire: VoiceWire) {
    this.#host = host;
    this.#wire = wire;
    this.#silence = this.#expectHeartbeat();
    this.#reply(VOICE_OPCODES.hello, { v: 8, heartbeat_interval: host.heartbeatIntervalMs });
  }

  /** Handles a text message from the client. */
  receive(text: string): void {
    const value = readJson(text);
    const op = typeof value === 'object' && value !== null && 'op' in value ? value.op : undefined;
    if (typeof op !== 'number') return this.#refuse(VOICE_CLOSE_CODES.decodeError, 'Not a payload');
    const known = [...Object.values(VOICE_OPCODES), ...ENCRYPTION_OPCODES.json].some((entry) => entry === op);
    if (!known) return this.#refuse(VOICE_CLOSE_CODES.unknownOpcode, `op ${op}`);
    const frame = voiceFrame.safeParse(value);
    if (!frame.success) {
      const fields = frame.error.issues.map((issue) => issue.path.join('.')).join(', ');
      return this.#refuse(VOICE_CLOSE_CODES.decodeError, `op ${op}: ${fields}`);
    }
    this.#handle(frame.data);
  }

  /** Handles a binary message from the client: `u8 op, payload`. */
  receiveBinary(bytes: Buffer): void {
    const op = bytes.at(0);
    if (!this.#session) return this.#refuse(VOICE_CLOSE_CODES.notAuthenticated, 'Bytes before IDENTIFY');
    if (op === undefined || !ENCRYPTION_OPCODES.binary.some((entry) => entry === op)) {
      return this.#refuse(VOICE_CLOSE_CODES.unknownOpcode, `binary op ${op}`);
    }
    const { ticket, userId } = this.#session;
    ticket.call.encryption.receiveBinary(userId, op, bytes.subarray(1));
  }

  /** Handles the end of the connection. The close code may come from either side. */
  ended(code: number): void {
    this.#silence.cancel();
    if (!this.#session || this.#session.messages.wire !== this.#wire) return;
    this.#session.messages.detach();
    this.#host.lost(this.#session, canResumeAfter(code));
  }

  close(code: number, reason = ''): void {
    this.#wire.close(code, reason);
  }

  #handle(frame: VoiceFrame): void {
    switch (frame.op) {
      case VOICE_OPCODES.heartbeat:
        this.#silence.cancel();
        this.#silence = this.#expectHeartbeat();
        return this.#reply(VOICE_OPCODES.heartbeatAck, { t: frame.d.t });
      case VOICE_OPCODES.identify:
        return this.#identify(frame.d);
      case VOICE_OPCODES.resume:
        return this.#resume(frame.d);
      case VOICE_OPCODES.selectProtocol:
      case VOICE_OPCODES.speaking:
      case 23:
      case 31:
        if (!this.#session) {
          return this.#refuse(VOICE_CLOSE_CODES.notAuthenticated, `op ${frame.op} before IDENTIFY`);
        }
        return this.#handleOf(this.#session, frame);
    }
  }

  #handleOf(session: VoiceSession, frame: Exclude<VoiceFrame, { op: 0 | 3 | 7 }>): void {
    switch (frame.op) {
      case VOICE_OPCODES.selectProtocol: {
        const known = session.remote;
        const { address, port, mode } = frame.d.data;
        if (known?.address !== address || known.port !== port) {
          return this.#refuse(
            VOICE_CLOSE_CODES.unknownProtocol,
            'Select Protocol with an address not discovered',
          );
        }
        return void session.select(mode);
      }
      case VOICE_OPCODES.speaking:
        if (frame.d.ssrc !== session.ssrc) {
          return this.#refuse(VOICE_CLOSE_CODES.decodeError, 'Speaking with another ssrc');
        }
        return session.speaking(frame.d.speaking);
      case 23:
      case 31:
        return session.ticket.call.encryption.receive(session.userId, frame.op, { ...frame.d });
    }
  }

  #identify(identify: VoiceIdentify): void {
    if (this.#session) return this.#refuse(VOICE_CLOSE_CODES.alreadyAuthenticated, 'Second IDENTIFY');
    const session = this.#host.identify(identify);
    if ('code' in session) return this.#refuse(session.code, 'IDENTIFY', session.isDeserved);
    this.#session = session;
    session.messages.attach(this.#wire);
    session.send(VOICE_OPCODES.ready, { ssrc: session.ssrc, ...this.#host.media });
    session.ticket.call.join(session);
  }

  #resume(resume: VoiceResume): void {
    if (this.#session) return this.#refuse(VOICE_CLOSE_CODES.alreadyAuthenticated, 'RESUME after IDENTIFY');
    const session = this.#host.resume(resume);
    if ('code' in session) return this.#refuse(session.code, 'RESUME', session.isDeserved);
    const sequence = resume.seq_ack ?? -1;
    if (!session.messages.canReplayFrom(sequence)) {
      return this.#refuse(VOICE_CLOSE_CODES.sessionInvalid, 'RESUME from too far back', false);
    }
    const before = session.messages.wire;
    this.#session = session;
    session.messages.attach(this.#wire);
    before?.close(1000);
    session.messages.replay(sequence);
    this.#reply(VOICE_OPCODES.resumed, null);
  }

  /** Sends a message without a sequence number. */
  #reply(op: number, data: unknown): void {
    this.#wire.send(JSON.stringify({ op, d: data }));
  }

  #refuse(code: number, detail: string, isDeserved = true): void {
    if (isDeserved) this.#host.violations.record('gateway_rule', `voice close ${code}`, detail);
    this.#wire.close(code, detail);
  }

  #expectHeartbeat(): Timer {
    const limitMs = this.#host.heartbeatIntervalMs * HEARTBEATS_MISSED_MAX;
    return this.#host.clock.after(
      limitMs,
      () => this.#refuse(VOICE_CLOSE_CODES.sessionTimedOut, `No heartbeat for ${limitMs} ms`),
      { background: true },
    );
  }
}
