import type { VoiceState } from '../chat/guild.ts';
import type { RtpPacket } from './rtp.ts';

/** Somebody in a call who gets what the others say. */
export interface CallPeer {
  readonly state: VoiceState;
  readonly ssrc: number;
  /**
   * A packet of another one, its frame as the speaker sent it.
   * Returns the plain frame if the peer is a member of the sandbox who can read it.
   */
  receive(packet: RtpPacket, speakerId: string): Uint8Array | null;
  /** Others are there, or came. */
  othersJoined(userIds: readonly string[]): void;
  otherLeft(userId: string): void;
}

/** The user id of a peer. */
export function userIdOf({ state }: CallPeer): string {
  return state.member.user.id;
}
