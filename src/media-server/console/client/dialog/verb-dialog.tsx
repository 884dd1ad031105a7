import { type Signal, signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ConsoleAnswer } from '../../console-wire.ts';
import { rescueFocus } from '../parts/focus.ts';
import { type Question, QuestionForm } from './question-form.tsx';
import { Secret } from './secret.tsx';
import { say } from '../store/store.ts';
import './dialog.css';

const asked: Signal<Question | null> = signal(null);

/** Opens the dialog. */
export function put(question: Question): void {
  say('');
  asked.value = question;
}

/** The one dialog of the console: it asks, does, and shows a new secret this one time. */
export function VerbDialog(): JSX.Element | null {
  const question = asked.value;
  return question && <Asking key={question.title} question={question} />;
}

function Asking({ question }: { readonly question: Question }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const kept = useSignal<ConsoleAnswer | null>(null);
  const isDoing = useSignal(false);
  useEffect(() => {
    dialog.current?.showModal();
    // It may also go because its user was logged out: then it must not come back.
    return forget;
  }, []);
  const close = (): void => dialog.current?.close();
  const take = (answer: ConsoleAnswer): void => {
    if (answer.secret !== undefined) {
      kept.value = answer;
      return;
    }
    close();
    say(answer.done);
  };
  // What is under way may bring a secret, and a secret is shown only now: Escape must not lose it.
  const closedBy = isDoing.value || kept.value ? 'none' : 'closerequest';
  return (
    <dialog ref={dialog} aria-labelledby="question" closedby={closedBy} onClose={forget}>
      <h2 id="question">{question.title}</h2>
      {kept.value ? (
        <Secret answer={kept.value} advice={question.secret ?? ''} onDone={close} />
      ) : (
        <QuestionForm question={question} isDoing={isDoing} onAnswer={take} onCancel={close} />
      )}
    </dialog>
  );
}

function forget(): void {
  asked.value = null;
  rescueFocus();
}
