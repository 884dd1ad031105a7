import { useSignal } from '@preact/signals';
import type { JSX, TargetedSubmitEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from './store/api.ts';
import { Logo } from './parts/logo.tsx';
import { logIn } from './store/store.ts';
import './log-in.css';

/** The log-in page. */
export function LogIn(): JSX.Element {
  const problem = useSignal('');
  const isSending = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Log in · Media server console';
    input.current?.focus();
  }, []);

  async function submit(event: TargetedSubmitEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    problem.value = '';
    isSending.value = true;
    try {
      await logIn(input.current?.value ?? '');
    } catch (error) {
      problem.value = messageOf(error);
      isSending.value = false;
      input.current?.select();
      input.current?.focus();
    }
  }

  return (
    <main class="log-in">
      <form class="panel" onSubmit={(event) => void submit(event)}>
        <Logo />
        <h1>Media server console</h1>
        <label htmlFor="password">Password</label>
        <input
          ref={input}
          id="password"
          type="password"
          autocomplete="current-password"
          maxLength={200}
          required
          aria-invalid={problem.value !== ''}
          aria-describedby="password-problem"
        />
        <p id="password-problem" class="problem" role="alert">
          {problem}
        </p>
        <button class="primary" type="submit" disabled={isSending}>
          Log in
        </button>
        <p class="quiet small">
          It was printed when the media server started for the first time.{' '}
          <code>npm run console -- password</code> makes a new one.
        </p>
      </form>
    </main>
  );
}
