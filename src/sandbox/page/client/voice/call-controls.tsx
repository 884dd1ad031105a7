import { useId } from 'preact/hooks';
import { HearChoice } from './hear-choice.tsx';
import { LevelMeter } from './level-meter.tsx';
import { SayASample } from './say-a-sample.tsx';
import { useVoiceCall } from './use-voice-call.ts';

/** The controls of a call: use the microphone, mute, choose which voices to hear, play a sample, and leave. */
export function CallControls() {
  const voice = useVoiceCall();
  const support = voice.support.value;
  return (
    <div class="call-controls">
      <div class="call-buttons">
        <MicrophoneButtons />
        <button type="button" class="danger" onClick={() => void voice.leave()}>
          Leave
        </button>
        {voice.microphone.value === 'on' && <LevelMeter label="Microphone" level={voice.microphoneLevel} />}
        <SayASample />
      </div>
      {voice.microphoneFault.value !== null && (
        <p class="call-fault" role="alert">
          {voice.microphoneFault.value}
        </p>
      )}
      {support?.hearing ? (
        <p class="quiet small">{support.hearing}</p>
      ) : (
        <div class="call-buttons">
          <HearChoice />
          <LevelMeter label="Call" level={voice.heardLevel} />
        </div>
      )}
    </div>
  );
}

function MicrophoneButtons() {
  const voice = useVoiceCall();
  const why = useId();
  const own = voice.own.value;
  const refusal = voice.support.value?.microphone;
  if (own?.suppressed) return <p class="quiet small">You may listen here, not speak.</p>;
  if (voice.microphone.value !== 'on') {
    return (
      <>
        <button
          type="button"
          class="primary"
          disabled={voice.microphone.value === 'asking' || Boolean(refusal)}
          aria-describedby={refusal ? why : undefined}
          onClick={() => void voice.useMicrophone()}
        >
          {voice.microphone.value === 'asking' ? 'Asking for it ...' : 'Use microphone'}
        </button>
        {refusal && (
          <span id={why} class="quiet small">
            {refusal}
          </span>
        )}
      </>
    );
  }
  const isMuted = own?.self_mute ?? false;
  return (
    <button
      type="button"
      aria-pressed={isMuted}
      disabled={own?.mute ?? false}
      onClick={() => void voice.setMuted(!isMuted)}
    >
      {own?.mute ? 'Muted by a moderator' : isMuted ? 'Muted' : 'Mute'}
    </button>
  );
}
