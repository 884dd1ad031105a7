import type { PageChannel } from '../../page-views.ts';
import { useChat } from '../store/use-chat.ts';
import { useVoiceCall } from './use-voice-call.ts';

/** Buttons to join a call, or the reason why the member cannot join. */
export function JoinButtons({ channel }: { readonly channel: PageChannel }) {
  const chat = useChat();
  const voice = useVoiceCall();
  const support = voice.support.value;
  const isFull = channel.user_limit > 0 && channel.voice.length >= channel.user_limit;
  if (!channel.may.connect || isFull) {
    return <p class="quiet">{isFull ? 'The call is full.' : 'You may not join this call.'}</p>;
  }
  const other = chat.call.value;
  return (
    <div class="call-join">
      <div class="call-buttons">
        {channel.may.speak && !support?.microphone && (
          <button
            type="button"
            class="primary"
            onClick={() => void voice.join(channel, { microphone: true })}
          >
            Join with microphone
          </button>
        )}
        <button
          type="button"
          class={support?.microphone ? 'primary' : ''}
          onClick={() => void voice.join(channel, { microphone: false })}
        >
          {channel.may.speak ? 'Join without' : 'Join and listen'}
        </button>
      </div>
      {support?.microphone && <p class="quiet small">{support.microphone}</p>}
      {other && other.id !== channel.id && <p class="quiet small">You leave "{other.name}" by that.</p>}
    </div>
  );
}
