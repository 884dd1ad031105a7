import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ConsoleAnswer } from '../../console-wire.ts';

interface SecretProps {
  readonly answer: ConsoleAnswer;
  readonly advice: string;
  readonly onDone: () => void;
}

/** Shows a key, a signing secret or a password. The user must copy it now, because it is not shown again. */
export function Secret({ answer: { secret = '', done }, advice, onDone }: SecretProps): JSX.Element {
  const copied = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  const copy = useRef<HTMLButtonElement>(null);
  useEffect(() => copy.current?.focus(), []);

  async function toClipboard(): Promise<void> {
    try {
      await navigator.clipboard.writeText(secret);
      copied.value = 'Copied.';
    } catch {
      field.current?.select();
      copied.value = 'It is selected: please copy it with your keyboard.';
    }
  }

  return (
    <div class="secret">
      <p id="secret-done">{done}</p>
      <p id="secret-advice" class="warning">
        {advice}
      </p>
      <label htmlFor="secret-text">Copy it now</label>
      <div class="row">
        <input ref={field} id="secret-text" class="mono" readOnly value={secret} spellcheck={false} />
        <button
          ref={copy}
          type="button"
          class="primary"
          aria-describedby="secret-done secret-advice"
          onClick={() => void toClipboard()}
        >
          Copy
        </button>
      </div>
      <output class="quiet small">{copied}</output>
      <div class="buttons">
        <button type="button" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
}
