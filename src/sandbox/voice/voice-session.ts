import { randomBytes } from 'node:crypto';
import type { VoiceState } from '../chat/guild.ts';
import type { Payload } from '../chat/payload.ts';
import type { Call } from './call.ts';
import type { EncryptedClient } from './call-encryption.ts';
import { type CallPeer, userIdOf } from './call-peer.ts';
import { isSealed } from './dave/is-sealed.ts';
import type { MediaSocket, Remote } from './media-socket.ts';
import { type RtpPacket, clearBytes, readRtp, rtpParts } from './rtp.ts';
import { SentMessages } from './sent-messages.ts';
import { SpeakerNotices } from './speaker-notices.ts';
import { SECRET_KEY_BYTES, TransportCipher, type TransportMode } from './transport-cipher.ts';
import { VOICE_OPCODES } from './voice-frames.ts';

/**
 * The data with which a bot identifies itself to the voice gateway. The bot receives the token in VOICE_SERVER_UPDATE.
 */
export interface VoiceTicket {
  readonly token: string;
  readonly state: VoiceState;
  readonly call: Call;
}

/** The encryption and the remote for datagrams to a client. It exists once the client has chosen a mode. */
interface Transport {
  readonly cipher: TransportCipher;
  readonly remote: Remote;
}

/** The result of checking a packet that arrived over UDP. */
type PacketVerdict = 'passed' | 'ignored' | 'not_voice' | 'undecryptable' | 'wrong_ssrc' | 'before_speaking';

/** UDP packets may overtake WebSocket messages, so this many may arrive before the client's op 5. */
const PACKETS_BEFORE_SPEAKING = 10;

/** A bot in a call. The session outlives its WebSocket: missed messages are sent when the bot resumes. */
export class VoiceSession implements CallPeer, EncryptedClient {
  readonly ticket: VoiceTicket;
  readonly ssrc: number;
  readonly maxProtocolVersion: number;
  readonly messages: SentMessages = new SentMessages();
  readonly #media: MediaSocket;
  readonly #notices: SpeakerNotices;
  #transport: Transport | undefined;
  #discovered: Remote | undefined;
  #hasSpoken = false;
  #packetsBeforeSpeaking = 0;
  #isSpeaking = false;

  constructor(ticket: VoiceTicket, maxProtocolVersion: number, media: MediaSocket) {
    this.ticket = ticket;
    this.maxProtocolVersion = maxProtocolVersion;
    this.ssrc = ticket.call.newSsrc();
    this.#media = media;
    this.#notices = new SpeakerNotices(ticket.call.faults, (userId, ssrc) =>
      this.send(VOICE_OPCODES.speaking, { user_id: userId, ssrc, speaking: 1 }),
    );
  }

  get state(): VoiceState {
    return this.ticket.state;
  }

  get userId(): string {
    return userIdOf(this);
  }

  /** Where the client's datagrams come from, if known. */
  get remote(): Remote | undefined {
    return this.#transport?.remote ?? this.#discovered;
  }

  get hasTransport(): boolean {
    return this.#transport !== undefined;
  }

  /** Whether the client's last op 5 said that it is speaking. */
  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  send(op: number, data: Payload): void {
    this.messages.send(op, data);
  }

  sendBinary(op: number, payload: Uint8Array): void {
    this.messages.sendBinary(op, payload);
  }

  /** Records the address from which the client requested its own address. */
  discovered(remote: Remote): void {
    this.#discovered = remote;
  }

  /** Answers op 1 with the session description (op 4). Returns false if the client's address is not known. */
  select(mode: TransportMode): boolean {
    if (!this.#discovered) return false;
    const key = randomBytes(SECRET_KEY_BYTES);
    this.#transport = { cipher: new TransportCipher(mode, key), remote: this.#discovered };
    const { encryption } = this.ticket.call;
    this.send(VOICE_OPCODES.sessionDescription, {
      mode,
      secret_key: [...key],
      dave_protocol_version: encryption.versionFor(this),
      audio_codec: 'opus',
      video_codec: null,
      media_session_id: this.ticket.token.slice(-16),
    });
    encryption.clientJoined(this);
    return true;
  }

  speaking(bits: number): void {
    this.#isSpeaking = bits !== 0;
    if (this.#isSpeaking) this.#hasSpoken = true;
    this.ticket.call.changed();
  }

  /** Handles any datagram from this client except a request for its own address. */
  takeDatagram(datagram: Buffer): PacketVerdict {
    const { call } = this.ticket;
    if (!this.#transport || call.faults.losesFrom(this.userId)) return 'ignored';
    const bytes = clearBytes(datagram);
    if (bytes === undefined) return 'not_voice';
    const parts = this.#transport.cipher.open(datagram, bytes);
    const packet = parts && readRtp(parts.header, parts.body);
    if (!packet) return 'undecryptable';
    if (packet.ssrc !== this.ssrc) return 'wrong_ssrc';
    if (!this.#hasSpoken && ++this.#packetsBeforeSpeaking > PACKETS_BEFORE_SPEAKING) return 'before_speaking';
    call.send(this, packet, call.encryption.inClear(packet.frame));
    return 'passed';
  }

  receive(packet: RtpPacket, speakerId: string): null {
    if (!this.#transport) return null;
    // A client without end-to-end encryption would play an encrypted frame as noise.
    if (this.maxProtocolVersion === 0 && isSealed(packet.frame)) return null;
    const { call } = this.ticket;
    const { cipher, remote } = this.#transport;
    this.#notices.beforePacket(speakerId, packet.ssrc);
    const fate = call.faults.next(speakerId);
    for (const delayMs of fate.delaysMs) {
      const datagram = cipher.seal(rtpParts(packet, fate));
      if (fate.isCorrupt) flipOneBit(datagram);
      call.encryption.forward(this.userId, () => {
        if (fate.isSpoofed) this.#media.spoof(remote, falseCopy(datagram));
        this.#media.sendLater(remote, datagram, delayMs);
      });
    }
    return null;
  }

  othersJoined(userIds: readonly string[]): void {
    this.send(VOICE_OPCODES.clientsConnect, { user_ids: userIds });
  }

  otherLeft(userId: string): void {
    this.#notices.forget(userId);
    this.send(VOICE_OPCODES.clientDisconnect, { user_id: userId });
  }
}

function flipOneBit(datagram: Buffer): void {
  const middle = datagram.byteLength >> 1;
  datagram.writeUInt8(datagram.readUInt8(middle) ^ 1, middle);
}

/**
 * Returns a forged packet: the header is the same, but the rest is random, because only the voice server can create
 * packets that can be decrypted.
 */
function falseCopy(datagram: Buffer): Buffer {
  const bytes = clearBytes(datagram) ?? 0;
  return Buffer.concat([datagram.subarray(0, bytes), randomBytes(datagram.byteLength - bytes)]);
}
