import { useEffect, useRef } from 'preact/hooks';
import type { Hello, State } from '../../live-wire.ts';
import { useSession } from '../use-session.ts';
import { ConsentText } from './asking.tsx';
import { CameraPicker } from './camera-picker.tsx';
import { Facts } from './facts.tsx';
import { Meters } from './meters.tsx';
import { Problem } from './problem.tsx';
import { Share } from './share.tsx';
import { Stage } from './stage.tsx';
import { Warning } from './warning.tsx';

/** The view with both pictures side by side, and the controls. */
export function Studio({ hello, state }: { readonly hello: Hello; readonly state: State }) {
  const { link, camera } = useSession();
  const live = state.phase === 'live' ? state : null;
  const isLive = live !== null;
  const heading = useRef<HTMLHeadingElement>(null);
  // The clicked button is gone. The heading receives focus, so that keyboard users continue here and a second key
  // press does not end the session.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [isLive]);
  return (
    <>
      <h2 class="hidden-visually" ref={heading} tabIndex={-1}>
        {isLive ? 'You are live' : 'Before you start'}
      </h2>
      {link.state.value.kind === 'lost' && (
        <p class="problem" role="alert">
          The connection to the bot broke. It is tried again by itself.
        </p>
      )}
      {live && <Warning live={live} />}
      <Stage isLive={isLive} />
      <section class="card controls" aria-label="Controls">
        <div class="control-row">
          <CameraPicker />
          <Buttons phase={state.phase} />
        </div>
        <Problem />
        {isLive && camera.state.value.kind !== 'on' && (
          <p class="note">Without pictures from a camera it ends after {hello.silentSeconds} seconds.</p>
        )}
        {live && <Meters live={live} hello={hello} />}
      </section>
      <div class="below">
        <section class="card" aria-labelledby="what">
          <h2 id="what">What is worn, and what it costs</h2>
          <Facts hello={hello} prompt={live?.prompt ?? null} />
          <ConsentText hello={hello} />
        </section>
        <Share viewers={live?.viewers ?? null} />
      </div>
    </>
  );
}

function Buttons({ phase }: { readonly phase: State['phase'] }) {
  const session = useSession();
  const isReady = session.camera.state.value.kind === 'on' && session.link.state.value.kind === 'open';
  if (phase === 'live') {
    return (
      <button key="stop" class="danger wide" onClick={() => session.stop()}>
        Stop
      </button>
    );
  }
  if (phase === 'connecting') {
    return (
      <div key="starting" class="starting">
        <span class="quiet">
          <span class="spinner" aria-hidden="true" /> Starting …
        </span>
        <button onClick={() => session.stop()}>Cancel</button>
      </div>
    );
  }
  return (
    <button key="start" class="primary wide" disabled={!isReady} onClick={() => session.start()}>
      Start
    </button>
  );
}
