import { useEffect, useRef } from 'preact/hooks';
import type { State } from '../../live-wire.ts';
import { usd, usdExactly } from '../../../../../base/pages/kit/usd.ts';
import { useSession } from '../use-session.ts';
import { clock } from '../words.ts';

/** The view after the session: why it ended, what it cost, and what to do next. */
export function Ended({ ended }: { readonly ended: Extract<State, { phase: 'ended' }> }) {
  const { link } = useSession();
  const { text, usedSeconds, used, charged } = ended;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="card single" aria-labelledby="ended">
      <h2 id="ended" ref={heading} tabIndex={-1}>
        It has ended
      </h2>
      <p class="lead">{text}</p>
      <dl class="sums">
        <div>
          <dt>Time used</dt>
          <dd>{clock(usedSeconds)}</dd>
        </div>
        <div>
          <dt>{charged === null ? 'Cost, about' : 'Cost'}</dt>
          <dd>{charged === null ? usd(used) : usdExactly(charged)}</dd>
        </div>
      </dl>
      <output class="quiet">{costText(charged !== null, link.state.value.kind === 'open')}</output>
      <p>Your camera is off. You can close this page.</p>
    </section>
  );
}

/** While the page is connected, the charge may still arrive. */
function costText(isKnown: boolean, isOpen: boolean): string {
  if (isKnown) return 'By the record of the service. What was set aside beyond that is back in the budget.';
  return isOpen
    ? 'What the service has charged will be known in a moment.'
    : 'By our own meter: what the service has charged is not known yet. Use /spend in the chat to see it later.';
}
