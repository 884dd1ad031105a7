import type { JSX } from 'preact';
import type { WireWebhookRow } from '../../media-server/console/console-wire.ts';
import type { ViewProps } from './view.ts';
import { Moment } from './moment.tsx';
import { Badge, More, Rows, accountName } from './rows.tsx';

const HEADINGS = ['Queued', 'Receiver', 'Account', 'State', 'Attempts', 'Last answer', 'Next attempt', 'Job'];
const STATES: Readonly<Record<WireWebhookRow['state'], readonly [tone: string, word: string]>> = {
  pending: ['accent', 'on its way'],
  delivered: ['good', 'delivered'],
  abandoned: ['bad', 'given up'],
};

/** Webhooks of all accounts and how often they were tried, newest first. */
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
          <Moment key="at" at={webhook.createdAt} />,
          <code key="to">{webhook.origin}</code>,
          accountName(state, webhook.accountId),
          <Badge key="state" tone={STATES[webhook.state][0]}>
            {STATES[webhook.state][1]}
          </Badge>,
          `${webhook.attempts} of ${webhook.attemptsMax}`,
          webhook.lastOutcome,
          webhook.dueAt === null ? null : <Moment key="due" at={webhook.dueAt} />,
          <code key="job" title={webhook.jobId}>
            {webhook.jobId.slice(0, 12)}…
          </code>,
        ]}
      />
      <More name="webhooks" page={state.webhooks} />
    </section>
  );
}
