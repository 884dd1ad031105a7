import { type Signal, useSignal } from '@preact/signals';
import type { JSX, TargetedSubmitEvent } from 'preact';
import type { ConsoleAnswer, ConsoleVerb } from '../../console-wire.ts';
import { Refusal } from '../store/api.ts';
import { sendVerb } from '../store/store.ts';

/** An input field of a dialog. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly kind: 'text' | 'dollars' | 'number' | 'choice';
  /** The value and the label of each option of a choice. */
  readonly choices?: readonly (readonly [string, string])[];
}

/** The content of a dialog that asks for input before an action. */
export interface Question {
  readonly title: string;
  readonly text?: string;
  readonly fields: readonly Field[];
  /** The label of the button that sends the form. */
  readonly action: string;
  readonly isDanger?: boolean;
  /** Advice on where to keep the secret, if the server's answer contains one. */
  readonly secret?: string;
  readonly verb: (value: (name: string) => string) => ConsoleVerb;
}

interface QuestionFormProps {
  readonly question: Question;
  /** Whether a request to the server is in progress. */
  readonly isSending: Signal<boolean>;
  readonly onAnswer: (answer: ConsoleAnswer) => void;
  readonly onCancel: () => void;
}

/** A form that sends its input to the server and shows an error next to the field that caused it. */
export function QuestionForm({ question, isSending, onAnswer, onCancel }: QuestionFormProps): JSX.Element {
  const problem = useSignal<Refusal | null>(null);

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isSending.value) return;
    const form = new FormData(event.currentTarget);
    problem.value = null;
    isSending.value = true;
    try {
      onAnswer(await sendVerb(question.verb((name) => typed(form.get(name)))));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem.value = error;
      document.getElementById(`field-${error.field ?? ''}`)?.focus();
    } finally {
      isSending.value = false;
    }
  }

  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      {question.text === undefined ? null : <p class="quiet">{question.text}</p>}
      {question.fields.map((field) => (
        <Input key={field.name} field={field} problem={problemOf(field, problem.value)} />
      ))}
      <p class="problem" role="alert">
        {question.fields.some(({ name }) => name === problem.value?.field) ? '' : problem.value?.message}
      </p>
      <div class="buttons">
        <button type="button" onClick={onCancel} disabled={isSending}>
          Cancel
        </button>
        <button type="submit" class={question.isDanger ? 'danger' : 'primary'} aria-disabled={isSending}>
          {question.action}
        </button>
      </div>
    </form>
  );
}

function typed(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value : '';
}

function problemOf({ name }: Field, problem: Refusal | null): string {
  return problem?.field === name ? problem.message : '';
}

function Input({ field, problem }: { readonly field: Field; readonly problem: string }): JSX.Element {
  const { name, label, value, hint, kind, choices = [] } = field;
  const common = {
    id: `field-${name}`,
    name,
    'aria-invalid': problem !== '',
    'aria-describedby': `hint-${name}`,
  };
  return (
    <div class="field">
      <label htmlFor={common.id}>{label}</label>
      {kind === 'choice' ? (
        <select {...common} defaultValue={value}>
          {choices.map(([id, called]) => (
            <option key={id} value={id} selected={id === value}>
              {called}
            </option>
          ))}
        </select>
      ) : (
        <span class={kind === 'dollars' ? 'dollars' : undefined}>
          <input
            {...common}
            type="text"
            inputMode={kind === 'text' ? 'text' : kind === 'dollars' ? 'decimal' : 'numeric'}
            autocomplete="off"
            maxLength={200}
            defaultValue={value}
          />
        </span>
      )}
      <p id={`hint-${name}`} class={problem === '' ? 'quiet small' : 'problem'}>
        {problem === '' ? hint : problem}
      </p>
    </div>
  );
}
