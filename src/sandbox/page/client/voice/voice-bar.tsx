import { useChat } from '../store/use-chat.ts';
import { Icon } from '../parts/icon.tsx';
import { useVoiceCall } from './use-voice-call.ts';
import './voice.css';

/**
 * The bar at the bottom of the channel column. It is shown while the member is in a call, whichever channel is shown.
 */
export function VoiceBar() {
  const chat = useChat();
  const voice = useVoiceCall();
  const call = chat.call.value;
  if (!call) return null;
  const isMuted = voice.own.value?.self_mute ?? false;
  return (
    <section class="voice-bar" aria-label="Your call">
      <button type="button" class="voice-bar-place" onClick={() => chat.openChannel(call)}>
        <Icon name="speaker" />
        <span class="voice-bar-text">
          <strong>In a call</strong>
          <span class="small quiet member-name">{call.name}</span>
        </span>
      </button>
      {voice.microphone.value === 'on' && (
        <button type="button" aria-pressed={isMuted} onClick={() => void voice.setMuted(!isMuted)}>
          {isMuted ? 'Muted' : 'Mute'}
        </button>
      )}
      <button type="button" class="danger" onClick={() => void voice.leave()}>
        Leave
      </button>
    </section>
  );
}
