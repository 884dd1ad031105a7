import { type Signal, signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ConsoleAnswer } from '../../console-wire.ts';
import { restoreFocus } from '../parts/restore-focus.ts';
import { type Question, QuestionForm } from './question-form.tsx';
import { Secret } from './secret.tsx';
import { showNotice } from '../store/store.ts';
import './dialog.css';

const openQuestion: Signal<Question | null> = signal(null);

/** Opens the dialog and removes the notice. */
export function openDialog(question: Question): void {
  showNotice('');
  openQuestion.value = question;
}

/** The console's only dialog. It asks, sends the request, and shows a new secret once. */
export function VerbDialog(): JSX.Element | null {
  const question = openQuestion.value;
  return question && <QuestionDialog key={question.title} question={question} />;
}

function QuestionDialog({ question }: { readonly question: Question }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const secretAnswer = useSignal<ConsoleAnswer | null>(null);
  const isSending = useSignal(false);
  useEffect(() => {
    dialog.current?.showModal();
    // The dialog also disappears when its user is logged out. It must not reappear after the next log-in.
    return closeQuestion;
  }, []);
  const close = (): void => dialog.current?.close();
  const finish = (answer: ConsoleAnswer): void => {
    if (answer.secret !== undefined) {
      secretAnswer.value = answer;
      return;
    }
    close();
    showNotice(answer.done);
  };
  // A request in progress may return a secret, which is shown only once, so Escape must not close the dialog.
  const closedBy = isSending.value || secretAnswer.value ? 'none' : 'closerequest';
  return (
    <dialog ref={dialog} aria-labelledby="question" closedby={closedBy} onClose={closeQuestion}>
      <h2 id="question">{question.title}</h2>
      {secretAnswer.value ? (
        <Secret answer={secretAnswer.value} advice={question.secret ?? ''} onDone={close} />
      ) : (
        <QuestionForm question={question} isSending={isSending} onAnswer={finish} onCancel={close} />
      )}
    </dialog>
  );
}

function closeQuestion(): void {
  openQuestion.value = null;
  restoreFocus();
}
