import { randomId } from '../../base/ids.ts';
import { equalSecret } from '../../base/signing.ts';
import type { VoiceState } from '../chat/guild.ts';
import type { Calls } from './calls.ts';
import { type MediaSocket, remoteKey } from './media-socket.ts';
import { VOICE_CLOSE_CODES, type VoiceIdentify, type VoiceResume } from './voice-frames.ts';
import type { VoiceRefusal } from './voice-refusal.ts';
import { VoiceSession, type VoiceTicket } from './voice-session.ts';

/** The bots that may connect, and those that are connected: at most one ticket and one session per bot and guild. */
export class VoiceSessions {
  readonly #calls: Calls;
  readonly #media: MediaSocket;
  readonly #tickets = new Map<VoiceState, VoiceTicket>();
  readonly #sessions = new Map<VoiceState, VoiceSession>();

  constructor(calls: Calls, media: MediaSocket) {
    this.#calls = calls;
    this.#media = media;
  }

  get all(): readonly VoiceSession[] {
    return [...this.#sessions.values()];
  }

  /** Returns a ticket for the bot's current channel. It replaces the previous ticket. */
  admit(state: VoiceState): VoiceTicket {
    const ticket = { token: randomId('voice'), state, call: this.#calls.of(state.channelId) };
    this.#tickets.set(state, ticket);
    return ticket;
  }

  /** Whether the bot's current ticket has this token. */
  hasTicket(state: VoiceState, token: string): boolean {
    return this.#tickets.get(state)?.token === token;
  }

  /** Returns the bot's session, if it has one that is connected or may still resume. */
  of(state: VoiceState): VoiceSession | undefined {
    return this.#sessions.get(state);
  }

  /** Returns the session whose datagrams come from the remote with this key. */
  from(key: string): VoiceSession | undefined {
    return this.all.find(({ remote }) => remote !== undefined && remoteKey(remote) === key);
  }

  /** Returns the session that has this SSRC. */
  withSsrc(ssrc: number): VoiceSession | undefined {
    return this.all.find((session) => session.ssrc === ssrc);
  }

  /** Returns a new session, or the reason for rejecting the client. */
  identify(identify: VoiceIdentify): VoiceSession | VoiceRefusal {
    const ticket = this.#ticketOf(identify.token);
    if (!ticket) return refusal(VOICE_CLOSE_CODES.authenticationFailed);
    const { guildId, member, sessionId } = ticket.state;
    if (guildId !== identify.server_id || member.user.id !== identify.user_id) {
      return refusal(VOICE_CLOSE_CODES.authenticationFailed);
    }
    if (sessionId !== identify.session_id) return refusal(VOICE_CLOSE_CODES.sessionInvalid);
    const ordered = ticket.call.faults.takeRefusal();
    if (ordered !== undefined) return { code: ordered, isDeserved: false };
    const session = new VoiceSession(ticket, identify.max_dave_protocol_version ?? 0, this.#media);
    if (ticket.call.encryption.refuses(session)) return refusal(VOICE_CLOSE_CODES.encryptionRequired);
    this.end(ticket.state, VOICE_CLOSE_CODES.sessionInvalid);
    this.#sessions.set(ticket.state, session);
    return session;
  }

  /** Returns the session to continue, or the reason for rejecting the client. */
  resume(resume: VoiceResume): VoiceSession | VoiceRefusal {
    const ticket = this.#ticketOf(resume.token);
    const session = ticket && this.#sessions.get(ticket.state);
    const fits = session?.ticket === ticket && session?.state.sessionId === resume.session_id;
    const isRefused = ticket?.call.faults.takeResumeRefusal();
    return session && fits && !isRefused
      ? session
      : { code: VOICE_CLOSE_CODES.sessionInvalid, isDeserved: false };
  }

  /** Ends a bot's session, if it has one, with a close code. Its ticket stays valid. */
  end(state: VoiceState, code: number): void {
    const session = this.#sessions.get(state);
    if (!session) return;
    this.#sessions.delete(state);
    session.ticket.call.leave(session);
    session.messages.wire?.close(code);
  }

  /** Removes a bot that has left: ends its session and deletes its ticket. */
  dismiss(state: VoiceState, code: number): void {
    this.end(state, code);
    this.#tickets.delete(state);
  }

  #ticketOf(token: string): VoiceTicket | undefined {
    return [...this.#tickets.values()].find((ticket) => equalSecret(ticket.token, token));
  }
}

function refusal(code: number): VoiceRefusal {
  return { code, isDeserved: true };
}
