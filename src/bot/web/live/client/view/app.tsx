import { useSession } from '../use-session.ts';
import './app.css';
import { Announcer } from './announcer.tsx';
import { Asking } from './asking.tsx';
import { Ended } from './ended.tsx';
import { LinkNotice } from './link-notice.tsx';
import { Studio } from './studio.tsx';

/** The page: a header, and the content for the state of the session. */
export function App() {
  const guildName = useSession().hello.value?.guildName;
  return (
    <>
      <header class="bar">
        <span class="mark" aria-hidden="true" />
        <h1>Live face</h1>
        {guildName && <span class="quiet guild">{guildName}</span>}
      </header>
      <Announcer />
      <main>
        <Content />
      </main>
    </>
  );
}

function Content() {
  const { hello, state, link, camera } = useSession();
  const { kind } = link.state.value;
  const now = state.value;
  if (now?.phase === 'ended') return <Ended ended={now} />;
  if (kind === 'refused' || kind === 'replaced' || kind === 'over' || !hello.value || !now)
    return <LinkNotice />;
  const hasCamera = camera.state.value.kind === 'on' || camera.choices.value.length > 0;
  const isAsking = now.phase === 'waiting' && (!now.agreed || !hasCamera);
  return isAsking ? <Asking hello={hello.value} waiting={now} /> : <Studio hello={hello.value} state={now} />;
}
