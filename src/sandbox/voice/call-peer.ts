import type { VoiceState } from '../chat/guild.ts';
import type { RtpPacket } from './rtp.ts';

/** A participant in a call, who receives the speech of the others. */
export interface CallPeer {
  readonly state: VoiceState;
  readonly ssrc: number;
  /**
   * Receives a packet from another participant, with its frame as the speaker sent it. Returns the plain frame if the
   * peer is a member of the sandbox who can decrypt it.
   */
  receive(packet: RtpPacket, speakerId: string): Uint8Array | null;
  /** Called with participants who are already in the call or have joined it. */
  othersJoined(userIds: readonly string[]): void;
  otherLeft(userId: string): void;
}

/** Returns the user id of a peer. */
export function userIdOf({ state }: CallPeer): string {
  return state.member.user.id;
}
