import { type Signal, signal, useSignal } from '@preact/signals';
import type { JSX, TargetedSubmitEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ConsoleAnswer, ConsoleVerb } from '../../media-server/console/console-wire.ts';
import { Refusal } from './api.ts';
import { Secret } from './secret.tsx';
import { rescueFocus } from './focus.ts';
import { say, tell } from './store.ts';

/** Something to type or to choose. */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly kind: 'text' | 'dollars' | 'number' | 'choice';
  /** Of a choice: values and what they are called. */
  readonly choices?: readonly (readonly [string, string])[];
}

/** What is asked before something is done. */
export interface Question {
  readonly title: string;
  readonly text?: string;
  readonly fields: readonly Field[];
  /** What the button says. */
  readonly action: string;
  readonly isDanger?: boolean;
  /** What is to be kept, when the answer holds a secret, and how. */
  readonly secret?: string;
  readonly verb: (value: (name: string) => string) => ConsoleVerb;
}

const asked: Signal<Question | null> = signal(null);

/** Opens the dialog. */
export function put(question: Question): void {
  asked.value = question;
}

/** The one dialog of the console: it asks, does, and shows a new secret this one time. */
export function VerbDialog(): JSX.Element | null {
  const question = asked.value;
  return question && <Asking key={question.title} question={question} />;
}

function Asking({ question }: { readonly question: Question }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const answer = useSignal<ConsoleAnswer | null>(null);
  const problem = useSignal<Refusal | null>(null);
  const isDoing = useSignal(false);
  useEffect(() => {
    dialog.current?.showModal();
    // It may also go because its user was logged out: then it must not come back.
    return forget;
  }, []);
  const close = (): void => dialog.current?.close();

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (isDoing.value) return;
    const form = new FormData(event.currentTarget);
    problem.value = null;
    isDoing.value = true;
    try {
      const given = await tell(question.verb((name) => typed(form.get(name))));
      if (given.secret !== undefined) {
        answer.value = given;
        return;
      }
      close();
      say(given.done);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problem.value = error;
      document.getElementById(`field-${error.field ?? ''}`)?.focus();
    } finally {
      isDoing.value = false;
    }
  }

  /** What is under way may bring a secret, and a secret is shown only now: Escape must not lose it. */
  function stay(event: Event): void {
    if (isDoing.value || answer.value !== null) event.preventDefault();
  }

  return (
    <dialog ref={dialog} aria-labelledby="question" onCancel={stay} onClose={forget}>
      <h2 id="question">{question.title}</h2>
      {answer.value === null ? (
        <form noValidate onSubmit={(event) => void submit(event)}>
          {question.text === undefined ? null : <p class="quiet">{question.text}</p>}
          {question.fields.map((field) => (
            <Input key={field.name} field={field} problem={problemOf(field, problem.value)} />
          ))}
          <p class="problem" role="alert">
            {question.fields.some(({ name }) => name === problem.value?.field) ? '' : problem.value?.message}
          </p>
          <div class="buttons">
            <button type="button" onClick={close} disabled={isDoing}>
              Cancel
            </button>
            <button type="submit" class={question.isDanger ? 'danger' : 'primary'} aria-disabled={isDoing}>
              {question.action}
            </button>
          </div>
        </form>
      ) : (
        <Secret answer={answer.value} advice={question.secret ?? ''} onDone={close} />
      )}
    </dialog>
  );
}

function forget(): void {
  asked.value = null;
  rescueFocus();
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
