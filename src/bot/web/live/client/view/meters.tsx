import type { Hello, State } from '../../live-wire.ts';
import { usd } from '../../../../../base/pages/kit/usd.ts';
import { useSession } from '../use-session.ts';
import { clock, duration } from '../words.ts';

export type Live = Extract<State, { phase: 'live' }>;

/** Shows how much time and money are used and left. */
export function Meters({ live, hello }: { readonly live: Live; readonly hello: Hello }) {
  const { perSecond } = useSession();
  const { usedSeconds, leftSeconds, grantedSeconds, used, left } = live;
  const asked = hello.minutes * 60;
  return (
    <div class="meters">
      <progress value={usedSeconds} max={grantedSeconds} aria-label="Time used" />
      <dl>
        <div class="large">
          <dt>Time left</dt>
          <dd>{clock(leftSeconds)}</dd>
        </div>
        <div>
          <dt>Time used</dt>
          <dd>{clock(usedSeconds)}</dd>
        </div>
        <div class="large">
          <dt>Cost so far</dt>
          <dd>{usd(used)}</dd>
        </div>
        <div>
          <dt>Money left</dt>
          <dd>{usd(left)}</dd>
        </div>
        <div>
          <dt>Pictures a second</dt>
          <dd>{perSecond.value === null ? '–' : Math.round(perSecond.value)}</dd>
        </div>
      </dl>
      {grantedSeconds < asked && (
        <p class="note">
          The service granted {duration(grantedSeconds)} of the {duration(asked)} that you asked for. You pay
          for what you use alone.
        </p>
      )}
    </div>
  );
}
