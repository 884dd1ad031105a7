import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface SecretProps {
  readonly text: string;
  readonly advice: string;
  readonly onDone: () => void;
}

/** A key or a secret, to be copied now. */
export function Secret({ text, advice, onDone }: SecretProps): JSX.Element {
  const copied = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  const copy = useRef<HTMLButtonElement>(null);
  useEffect(() => copy.current?.focus(), []);

  async function toClipboard(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      copied.value = 'Copied.';
    } catch {
      field.current?.select();
      copied.value = 'It is selected: please copy it with your keyboard.';
    }
  }

  return (
    <div class="secret">
      <p class="warning">{advice}</p>
      <label htmlFor="secret-text">Copy it now</label>
      <div class="row">
        <input ref={field} id="secret-text" class="mono" readOnly value={text} spellcheck={false} />
        <button ref={copy} type="button" class="primary" onClick={() => void toClipboard()}>
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
