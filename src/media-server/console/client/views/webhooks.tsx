import type { JSX } from 'preact';
import type { WireWebhookRow } from '../../console-wire.ts';
import { Attempts } from './attempts.tsx';
import type { ViewProps } from './view.ts';
import { LocalTime } from '../parts/local-time.tsx';
import { Badge, Id, More, Rows, accountName } from '../parts/rows.tsx';

const HEADINGS = ['Queued', 'Receiver', 'Account', 'State', 'Attempts', 'Job'];
const STATES: Readonly<Record<WireWebhookRow['state'], readonly [tone: string, word: string]>> = {
  pending: ['accent', 'on its way'],
  delivered: ['good', 'delivered'],
  abandoned: ['bad', 'given up'],
};

/** The webhooks of all accounts with every attempt to deliver them, newest first. */
export function Webhooks({ state }: ViewProps): JSX.Element {
  return (
    <section>
      <h2>Webhooks</h2>
      <Rows
        label="Webhooks"
        headings={HEADINGS}
        rows={state.webhooks.rows}
        idOf={({ id }) => id}
        empty="No webhook yet. They appear here when a job that wants one has ended."
        cells={(webhook) => [
          <LocalTime key="at" at={webhook.createdAt} />,
          <strong key="to">
            <code>{webhook.origin}</code>
          </strong>,
          accountName(state, webhook.accountId),
          <Badge key="state" tone={STATES[webhook.state][0]}>
            {STATES[webhook.state][1]}
          </Badge>,
          <Attempts key="attempts" webhook={webhook} />,
          <Id key="job" id={webhook.jobId} />,
        ]}
      />
      <More name="webhooks" page={state.webhooks} />
    </section>
  );
}
