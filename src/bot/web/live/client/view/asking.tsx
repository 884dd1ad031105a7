import { useSignal } from '@preact/signals';
import type { Hello, State } from '../../live-wire.ts';
import { useSession } from '../use-session.ts';
import { Facts } from './facts.tsx';
import { Problem } from './problem.tsx';

type Waiting = Extract<State, { phase: 'waiting' }>;

/** The view before a camera is opened: what will happen, what it costs, and the request for consent. */
export function Asking({ hello, waiting }: { readonly hello: Hello; readonly waiting: Waiting }) {
  return (
    <div class="asking">
      <section class="card" aria-labelledby="what">
        <h2 id="what">What will happen</h2>
        <p class="lead">
          The picture of your camera goes to the media service, and comes back with another face. Nothing is
          sent, and nothing costs anything, before you press Start.
        </p>
        <Facts hello={hello} />
        <p class="quiet small">You can start until {timeOfDay(waiting.startByMs)}.</p>
      </section>
      {waiting.agreed ? <Agreed hello={hello} /> : <Consent hello={hello} />}
    </div>
  );
}

function Consent({ hello }: { readonly hello: Hello }) {
  const session = useSession();
  const isRead = useSignal(false);
  return (
    <section class="card" aria-labelledby="consent">
      <h2 id="consent">Your consent</h2>
      <div class="consent-text">
        {hello.consent.paragraphs.map((paragraph) => (
          <p key={paragraph}>{paragraph}</p>
        ))}
      </div>
      <form
        class="agree"
        onSubmit={(event) => {
          event.preventDefault();
          session.agree();
        }}
      >
        <label class="check">
          <input
            type="checkbox"
            required
            checked={isRead.value}
            onChange={({ currentTarget }) => (isRead.value = currentTarget.checked)}
          />
          <span>I have read this, and agree</span>
        </label>
        <button class="primary" disabled={!isRead.value}>
          Agree and open my camera
        </button>
      </form>
      <Problem />
    </section>
  );
}

function Agreed({ hello }: { readonly hello: Hello }) {
  const session = useSession();
  const isOpening = session.camera.state.value.kind === 'opening';
  return (
    <section class="card" aria-labelledby="consent">
      <h2 id="consent">Your camera</h2>
      <p>Your picture stays on this page until you press Start.</p>
      <button class="primary" disabled={isOpening} onClick={() => session.openCamera()}>
        {isOpening ? 'Your browser asks for the camera …' : 'Open my camera'}
      </button>
      <Problem />
      <ConsentText hello={hello} />
    </section>
  );
}

/** The text that the member agreed to, collapsed. */
export function ConsentText({ hello }: { readonly hello: Hello }) {
  return (
    <details class="consent-text">
      <summary>What you agreed to</summary>
      {hello.consent.paragraphs.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
    </details>
  );
}

function timeOfDay(epochMs: number): string {
  return new Date(epochMs).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
}
