import { type Signal, signal } from '@preact/signals';
import type { FunctionComponent, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { WireTotals } from '../console-wire.ts';
import { usdExactly } from '../../../base/pages/kit/usd.ts';
import { Accounts } from './views/accounts.tsx';
import { Jobs } from './views/jobs.tsx';
import { Keys } from './views/keys.tsx';
import { Settings } from './views/settings.tsx';
import { Logo } from './parts/logo.tsx';
import { Rates } from './views/rates.tsx';
import { Sessions } from './views/sessions.tsx';
import { isLive, logOut, state, notice } from './store/store.ts';
import { VerbDialog } from './dialog/verb-dialog.tsx';
import type { ViewProps } from './views/view.ts';
import { Webhooks } from './views/webhooks.tsx';
import './frame.css';

const VIEWS: readonly {
  readonly id: string;
  readonly name: string;
  readonly view: FunctionComponent<ViewProps>;
}[] = [
  { id: 'accounts', name: 'Accounts', view: Accounts },
  { id: 'keys', name: 'Keys', view: Keys },
  { id: 'rates', name: 'Rates', view: Rates },
  { id: 'settings', name: 'Settings', view: Settings },
  { id: 'jobs', name: 'Jobs', view: Jobs },
  { id: 'sessions', name: 'Sessions', view: Sessions },
  { id: 'webhooks', name: 'Webhooks', view: Webhooks },
];

/** The page's address names the open view, so that a reload returns to it. */
const open: Signal<string> = signal(location.hash.slice(1));
addEventListener('hashchange', () => (open.value = location.hash.slice(1)));

/** The page of a logged-in user: navigation, totals and the open view. */
export function Frame(): JSX.Element {
  const now = state.value;
  const { id, name, view: View } = VIEWS.find((view) => view.id === open.value) ?? VIEWS[0] ?? never();
  useEffect(() => {
    document.title = `${name} · Media server console`;
  }, [name]);
  return (
    <div class="frame">
      <header>
        <Logo />
        <p class="title">Media server console</p>
        <output class={isLive.value ? 'live' : 'live broken'}>
          {isLive.value ? 'Live' : 'Reconnecting …'}
        </output>
        <button type="button" class="quiet-button" onClick={() => void logOut()}>
          Log out
        </button>
      </header>
      <nav aria-label="Console">
        {VIEWS.map((view) => (
          <a key={view.id} href={`#${view.id}`} aria-current={view.id === id ? 'page' : undefined}>
            {view.name}
          </a>
        ))}
      </nav>
      <main>
        {now ? <Totals totals={now.totals} /> : null}
        <h1 class="hidden-visually">{name}</h1>
        {now ? <View state={now} /> : <p class="quiet">One moment …</p>}
      </main>
      <output class={notice.value === '' ? 'told' : 'told shown'}>{notice}</output>
      <VerbDialog />
    </div>
  );
}

function Totals({ totals }: { readonly totals: WireTotals }): JSX.Element {
  const numbers = [
    ['Available in all', usdExactly(totals.available)],
    ['Held for jobs', usdExactly(totals.held)],
    ['Jobs queued', String(totals.jobsQueued)],
    ['Jobs rendering', String(totals.jobsProcessing)],
    ['Open sessions', String(totals.sessionsOpen)],
    ['Open webhooks', String(totals.webhooksPending)],
  ] as const;
  return (
    <dl class="totals" aria-label="At this moment">
      {numbers.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function never(): never {
  throw new TypeError('There is no view');
}
