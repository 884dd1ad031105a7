import type { PageChannel } from '../../page-views.ts';
import { useChat } from '../store/use-chat.ts';
import { Avatar } from '../parts/avatar.tsx';
import { callStateText } from './call-state-text.ts';
import './voice.css';

/** The members in a voice channel, below its name in the channel column. */
export function VoiceMembers({ channel }: { readonly channel: PageChannel }) {
  const chat = useChat();
  const people = channel.voice.flatMap((state) => {
    const member = chat.member(state.user_id);
    return member ? [{ state, member }] : [];
  });
  return (
    <ul class="voice-members" aria-label={`In ${channel.name}`}>
      {people.map(({ state, member }) => (
        <li key={member.id} class={state.speaking ? 'speaks' : ''}>
          <Avatar user={member} size="small" />
          <span class="member-name">{member.name}</span>
          {member.bot && <span class="tag">APP</span>}
          <span class="hidden-visually">{callStateText(state)}</span>
        </li>
      ))}
    </ul>
  );
}
