import type { JSX } from 'preact';
import type { ConsoleState, WireRate } from '../../console-wire.ts';
import { decimalOf, usdExactly } from '../../../../base/pages/kit/usd.ts';
import type { ViewProps } from './view.ts';
import { Badge, Rows, accountName } from '../parts/rows.tsx';
import type { Field } from '../dialog/question-form.tsx';
import { openDialog } from '../dialog/verb-dialog.tsx';
import { displayName } from '../parts/format.ts';

const HEADINGS = ['Capability', 'For', 'Rate', 'Minimum', 'Held at submit', 'Actions'];
const UNITS: Readonly<Record<WireRate['unit'], string>> = { image: 'picture', second: 's', minute: 'min' };

/** All prices: the public rates, and those negotiated for single accounts. */
export function Rates({ state }: ViewProps): JSX.Element {
  return (
    <section>
      <div class="head">
        <h2>Rates</h2>
        <button type="button" class="primary" onClick={() => askOwnRate(state)}>
          Rate for an account
        </button>
      </div>
      <p class="quiet">
        Jobs pay the rate of when they were submitted, by the picture or the second of what they made.
        Sessions pay by the minute and have neither minimum nor hold.
      </p>
      <Rows
        label="Rates"
        headings={HEADINGS}
        rows={state.rates}
        idOf={({ capability, accountId }) => `${capability} ${accountId ?? ''}`}
        empty="There are no capabilities."
        cells={(rate) => [
          <strong key="name">{displayName(rate.capability)}</strong>,
          rate.accountId === null ? (
            'everybody'
          ) : (
            <Badge key="for" tone="accent">
              {accountName(state, rate.accountId)}
            </Badge>
          ),
          `${usdExactly(rate.rate)} / ${UNITS[rate.unit]}`,
          rate.minimum === null ? null : usdExactly(rate.minimum),
          rate.hold === null ? null : usdExactly(rate.hold),
          <RateActions key="actions" rate={rate} state={state} />,
        ]}
      />
    </section>
  );
}

function RateActions({ rate, state }: ViewProps & { readonly rate: WireRate }): JSX.Element {
  const { capability, accountId } = rate;
  const whose = accountId === null ? '' : ` for “${accountName(state, accountId)}”`;
  const what = `${displayName(capability)}${whose}`;
  return (
    <span class="actions">
      <button type="button" onClick={() => askRate(rate, `Rate of ${what}`)}>
        Change<span class="hidden-visually"> {what}</span>
      </button>
      {accountId === null ? null : (
        <button type="button" class="careful" onClick={() => askReset(capability, accountId, what)}>
          Take back<span class="hidden-visually"> {what}</span>
        </button>
      )}
    </span>
  );
}

function askRate(rate: WireRate, title: string): void {
  const { capability, accountId } = rate;
  openDialog({
    title,
    text: 'It counts from the next job or session on; what is under way keeps its rate.',
    fields: amountFields(rate),
    action: 'Set the rate',
    verb: (value) => ({
      verb: 'set_rate',
      capability,
      accountId,
      rate: value('rate'),
      minimum: rate.minimum === null ? null : value('minimum'),
      hold: rate.hold === null ? null : value('hold'),
    }),
  });
}

function amountFields({ rate, minimum, hold, unit }: WireRate): readonly Field[] {
  const field = (name: string, label: string, micros: number | null): readonly Field[] =>
    micros === null ? [] : [{ name, label, value: decimalOf(micros), kind: 'dollars' }];
  return [
    ...field('rate', `Rate per ${unit === 'image' ? 'picture' : unit}`, rate),
    ...field('minimum', 'Minimum charge', minimum),
    ...field('hold', 'Held at submit', hold),
  ];
}

const OF_JOBS = 'For jobs only. Empty: as everybody.';

function askOwnRate({ accountNames, rates }: ConsoleState): void {
  const open = rates.filter(({ accountId }) => accountId === null);
  openDialog({
    title: 'Rate for an account',
    text: 'It begins as a copy of the public rate of the capability, with what you write here.',
    fields: [
      {
        name: 'accountId',
        label: 'Account',
        value: accountNames[0]?.id ?? '',
        kind: 'choice',
        choices: accountNames.map(({ id, name }) => [id, name]),
      },
      {
        name: 'capability',
        label: 'Capability',
        value: open[0]?.capability ?? '',
        kind: 'choice',
        choices: open.map(({ capability, rate, unit }) => [
          capability,
          `${displayName(capability)} (${usdExactly(rate)} / ${UNITS[unit]})`,
        ]),
      },
      { name: 'rate', label: 'Rate', value: '', kind: 'dollars', hint: 'Such as 0.04 or 0.000125.' },
      { name: 'minimum', label: 'Minimum charge', value: '', kind: 'dollars', hint: OF_JOBS },
      { name: 'hold', label: 'Held at submit', value: '', kind: 'dollars', hint: OF_JOBS },
    ],
    action: 'Set the rate',
    verb: (value) => ({
      verb: 'set_rate',
      capability: value('capability'),
      accountId: value('accountId'),
      rate: value('rate'),
      minimum: value('minimum').trim() || null,
      hold: value('hold').trim() || null,
    }),
  });
}

function askReset(capability: string, accountId: string, what: string): void {
  openDialog({
    title: `Take back the rate of ${what}?`,
    text: 'The public rate binds the account again from its next job on.',
    fields: [],
    action: 'Take back',
    isDanger: true,
    verb: () => ({ verb: 'reset_rate', capability, accountId }),
  });
}
