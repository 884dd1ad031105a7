import { useEffect } from 'preact/hooks';
import type { State } from '../../live-wire.ts';
import { useSession } from '../use-session.ts';
import { clock } from '../words.ts';

const SAID: Readonly<Record<State['phase'], string>> = {
  waiting: '',
  connecting: 'Starting.',
  live: 'You are live. The picture that others see is AI-altered.',
  ended: 'It has ended. Your camera is off.',
};

/** Announces changes to screen readers, and shows the remaining time in the tab's title. */
export function Announcer() {
  const { state, phase, isShowing } = useSession();
  const now = state.value;
  const left = now?.phase === 'live' ? `${clock(now.leftSeconds)} left – ` : '';
  useEffect(() => {
    document.title = `${left}Live face`;
  }, [left]);
  const said = phase.value ? SAID[phase.value] : '';
  return (
    <output class="hidden-visually">
      {phase.value === 'live' && !isShowing.value ? 'Connected. Waiting for the first picture.' : said}
    </output>
  );
}
