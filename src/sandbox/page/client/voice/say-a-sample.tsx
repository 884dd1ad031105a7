import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PageSample, PageSamples } from '../../use-views.ts';
import { read } from '../live/control.ts';
import { useChat } from '../store/use-chat.ts';
import { useVoiceCall } from './use-voice-call.ts';

/**
 * A choice of recorded sentences and a button that plays the chosen one as the member's speech. It is for users without
 * a microphone.
 */
export function SayASample() {
  const chat = useChat();
  const voice = useVoiceCall();
  const samples = useSignal<readonly PageSample[]>([]);
  const chosen = useSignal<string | null>(null);
  useEffect(() => {
    void chat.try(
      (async () => {
        const all = await read<PageSamples>('/samples');
        samples.value = all.samples.filter(({ speakable }) => speakable);
      })(),
    );
  }, []);
  const name = chosen.value ?? samples.value[0]?.name;
  if (name === undefined || voice.own.value?.suppressed) return null;
  return (
    <div class="say-a-sample">
      <label>
        <span class="hidden-visually">Sample</span>
        <select value={name} onChange={({ currentTarget }) => (chosen.value = currentTarget.value)}>
          {samples.value.map((sample) => (
            <option key={sample.name} value={sample.name}>
              {sample.title}
            </option>
          ))}
        </select>
      </label>
      <button type="button" onClick={() => void voice.saySample(name)}>
        Say it
      </button>
    </div>
  );
}
