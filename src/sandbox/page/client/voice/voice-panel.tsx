import type { PageChannel } from '../../page-views.ts';
import { useChat } from '../store/use-chat.ts';
import { CallControls } from './call-controls.tsx';
import { JoinButtons } from './join-buttons.tsx';
import './voice.css';
import { VoiceTile } from './voice-tile.tsx';

/** The panel above a voice channel's messages: the members in the call, and buttons to join it. */
export function VoicePanel({ channel }: { readonly channel: PageChannel }) {
  const chat = useChat();
  const isIn = chat.call.value?.id === channel.id;
  const people = channel.voice.flatMap((state) => {
    const member = chat.member(state.user_id);
    return member ? [{ state, member }] : [];
  });
  return (
    <section class="voice-panel" aria-label={`Call in ${channel.name}`}>
      <CallFacts channel={channel} />
      {people.length === 0 ? (
        <p class="quiet">
          Nobody is here yet. Join, then type /voice start below to have your voice converted.
        </p>
      ) : (
        <ul class="voice-tiles" aria-label="In the call">
          {people.map(({ state, member }) => (
            <VoiceTile key={member.id} member={member} state={state} isMe={member.id === chat.me.value?.id} />
          ))}
        </ul>
      )}
      {isIn ? <CallControls /> : <JoinButtons channel={channel} />}
    </section>
  );
}

function CallFacts({ channel }: { readonly channel: PageChannel }) {
  const chat = useChat();
  const bot = chat.bot.value;
  const botState = channel.voice.find(({ user_id }) => user_id === bot?.id);
  const presence = botState
    ? botState.connected
      ? 'is in the call'
      : 'is connecting'
    : 'is not in the call';
  return (
    <div class="call-facts">
      {channel.status !== null && <output class="call-status">{channel.status}</output>}
      <p class="quiet small">
        {bot && (
          <span class={botState ? 'call-fact is-on' : 'call-fact'}>
            {bot.name} {bot.online ? presence : 'is offline'}
          </span>
        )}
        <span class={channel.encryption ? 'call-fact is-on' : 'call-fact'}>
          {channel.encryption
            ? `End-to-end encrypted (DAVE ${channel.encryption.version}, epoch ${channel.encryption.epoch})`
            : 'Not encrypted end to end'}
        </span>
      </p>
    </div>
  );
}
