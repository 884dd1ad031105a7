import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { WireAccount, WireAccountBalance } from '../../console-wire.ts';
import { usdExactly } from '../../../../base/pages/kit/usd.ts';
import { messageOf } from '../store/api.ts';
import type { ViewProps } from './view.ts';
import { askKey } from './keys.tsx';
import { More } from '../parts/rows.tsx';
import { read, showNotice } from '../store/store.ts';
import { openDialog } from '../dialog/verb-dialog.tsx';
import './accounts.css';

/** The prepaid accounts: their balances and their webhook secrets. */
export function Accounts({ state }: ViewProps): JSX.Element {
  return (
    <section>
      <div class="head">
        <h2>Accounts</h2>
        <button type="button" class="primary" onClick={askAccount}>
          New account
        </button>
      </div>
      <ul class="cards">
        {state.accounts.rows.map((account) => (
          <li key={account.id} class="panel">
            <Account account={account} state={state} />
          </li>
        ))}
      </ul>
      <More name="accounts" page={state.accounts} />
    </section>
  );
}

function Account({ account, state }: ViewProps & { readonly account: WireAccount }): JSX.Element {
  const { name, available, held, spent, toppedUp } = account;
  return (
    <>
      <h3>{name}</h3>
      <p class="amount">
        {usdExactly(available)} <span class="quiet small">available</span>
      </p>
      <dl class="pairs">
        <dt>Held</dt>
        <dd>{usdExactly(held)}</dd>
        <dt>Spent</dt>
        <dd>{usdExactly(spent)}</dd>
        <dt>Topped up</dt>
        <dd>{usdExactly(toppedUp)}</dd>
      </dl>
      <Spending account={account} />
      <div class="actions">
        <button type="button" class="primary" onClick={() => askTopUp(account)}>
          Top up<span class="hidden-visually"> {name}</span>
        </button>
        <button type="button" onClick={() => askKey(state, account.id)}>
          New key<span class="hidden-visually"> for {name}</span>
        </button>
        <button type="button" onClick={() => askSecret(account)}>
          Signing secret<span class="hidden-visually"> of {name}</span>
        </button>
        <button type="button" onClick={() => askRotation(account)}>
          Rotate secret<span class="hidden-visually"> of {name}</span>
        </button>
      </div>
    </>
  );
}

/** Recent spending. It is read when the user opens it and whenever it has changed. */
function Spending({ account: { id, spent } }: { readonly account: WireAccount }): JSX.Element {
  const balance = useSignal<WireAccountBalance | null>(null);
  const isOpen = useSignal(false);
  useEffect(() => {
    if (!isOpen.value) return;
    read<WireAccountBalance>(`balance?account=${id}`).then(
      (now) => (balance.value = now),
      (error: unknown) => showNotice(messageOf(error)),
    );
  }, [isOpen.value, id, spent]);
  return (
    <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>Spent this week, month and year</summary>
      {balance.value ? (
        <dl class="pairs">
          <dt>This week</dt>
          <dd>{usdExactly(balance.value.spentThisWeek)}</dd>
          <dt>This month</dt>
          <dd>{usdExactly(balance.value.spentThisMonth)}</dd>
          <dt>This year</dt>
          <dd>{usdExactly(balance.value.spentThisYear)}</dd>
        </dl>
      ) : (
        <p class="quiet small">One moment …</p>
      )}
    </details>
  );
}

function askAccount(): void {
  openDialog({
    title: 'New account',
    text: 'It begins with nothing in it.',
    fields: [
      { name: 'name', label: 'Name', value: '', kind: 'text', hint: 'Such as the community it is for.' },
    ],
    action: 'Open the account',
    verb: (value) => ({ verb: 'create_account', name: value('name') }),
  });
}

function askTopUp({ id, name, available }: WireAccount): void {
  openDialog({
    title: `Top up “${name}”`,
    text: `It has ${usdExactly(available)} now. What is added stays: there is no way to take it back here.`,
    fields: [
      {
        name: 'dollars',
        label: 'Amount in US dollars',
        value: '',
        kind: 'dollars',
        hint: 'Such as 25 or 0.50.',
      },
    ],
    action: 'Top up',
    verb: (value) => ({ verb: 'top_up', accountId: id, dollars: value('dollars') }),
  });
}

function askSecret({ id, name }: WireAccount): void {
  openDialog({
    title: `Signing secret of “${name}”`,
    text: 'Webhooks are signed with it. Whoever knows it can forge them: look who else sees your screen.',
    fields: [],
    action: 'Show it',
    secret: 'Keep it where only the receiver of the webhooks reads it.',
    verb: () => ({ verb: 'show_secret', accountId: id }),
  });
}

function askRotation({ id, name }: WireAccount): void {
  openDialog({
    title: `Rotate the secret of “${name}”?`,
    text: 'From now on webhooks are signed with a new secret. The receiver must know it before the overlap ends.',
    fields: [
      {
        name: 'overlapMinutes',
        label: 'Overlap in minutes',
        value: '60',
        kind: 'number',
        hint: 'For so long webhooks carry both signatures; 0 to 10,080 (a week).',
      },
    ],
    action: 'Rotate',
    isDanger: true,
    secret: 'This is the new signing secret. Give it to the receiver of the webhooks, and to nobody else.',
    verb: (value) => ({ verb: 'rotate_secret', accountId: id, overlapMinutes: value('overlapMinutes') }),
  });
}
