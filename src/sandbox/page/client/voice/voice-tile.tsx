import type { PageMember, PageUser, PageVoiceState } from '../../page-views.ts';
import { Avatar } from '../parts/avatar.tsx';
import { callStateText } from './call-state-text.ts';

interface VoiceTileProps {
  readonly member: PageMember | PageUser;
  readonly state: PageVoiceState;
  readonly isMe: boolean;
}

/** A member in a call. A ring and the word "speaking" show that the member is speaking. */
export function VoiceTile({ member, state, isMe }: VoiceTileProps) {
  return (
    <li class={state.speaking ? 'voice-tile speaks' : 'voice-tile'}>
      <Avatar user={member} />
      <span class="voice-tile-text">
        <span class="voice-tile-name">
          <span class="member-name">{isMe ? `${member.name} (you)` : member.name}</span>
          {member.bot && <span class="tag">APP</span>}
        </span>
        <span class="voice-tile-state">{callStateText(state)}</span>
      </span>
    </li>
  );
}
