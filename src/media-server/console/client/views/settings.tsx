import type { JSX } from 'preact';
import type { ViewProps } from './view.ts';
import { Ceilings } from './ceilings.tsx';
import { Switches } from './switches.tsx';
import { openDialog } from '../dialog/verb-dialog.tsx';

/** The capabilities on offer, the ceilings, and the console password. */
export function Settings({ state }: ViewProps): JSX.Element {
  return (
    <>
      <Switches state={state} />
      <Ceilings state={state} />
      <section>
        <div class="head">
          <h2>Password</h2>
          <button type="button" class="careful" onClick={askPassword}>
            New password
          </button>
        </div>
        <p class="quiet">
          It opens this console, and is stored as a hash only. A new one logs out everybody but you.
        </p>
      </section>
    </>
  );
}

function askPassword(): void {
  openDialog({
    title: 'New password of this console?',
    text: 'The password of now ends, and whoever else is logged in with it is out.',
    fields: [],
    action: 'Make a new password',
    isDanger: true,
    secret: 'This is the only time that the password is shown. Keep it where only you read it.',
    verb: () => ({ verb: 'new_password' }),
  });
}
