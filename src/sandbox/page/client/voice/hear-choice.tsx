import { useId } from 'preact/hooks';
import { useVoiceCall } from './use-voice-call.ts';
import type { Hears } from './voice-call.ts';

const CHOICES: readonly { readonly hears: Hears; readonly label: string }[] = [
  { hears: 'all', label: 'Both' },
  { hears: 'converted', label: 'Converted' },
  { hears: 'original', label: 'Original' },
  { hears: 'none', label: 'Nobody' },
];

/** The choice of the voices to hear: members' own voices, the bot's speech, both, or none. */
export function HearChoice() {
  const voice = useVoiceCall();
  const name = useId();
  return (
    <fieldset class="hear-choice">
      <legend class="small quiet">Hear</legend>
      {CHOICES.map(({ hears, label }) => (
        <label key={hears}>
          <input
            type="radio"
            name={name}
            value={hears}
            checked={voice.hears.value === hears}
            onChange={() => void voice.listen(hears)}
          />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
