import type { JSX } from 'preact';
import type { WireJobRow } from '../../console-wire.ts';
import { usdExactly } from '../../../../base/pages/kit/usd.ts';
import type { ViewProps } from './view.ts';
import { LocalTime } from '../parts/local-time.tsx';
import { Badge, Id, More, Rows, accountName } from '../parts/rows.tsx';
import { openDialog } from '../dialog/verb-dialog.tsx';
import { displayName } from '../parts/format.ts';

const HEADINGS = ['Submitted', 'Capability', 'Account', 'State', 'Cost', 'Job', 'Actions'];
const TONES = { queued: 'quiet', processing: 'accent', succeeded: 'good', failed: 'bad' } as const;

/** The jobs of all accounts as they progress, newest first. */
export function Jobs({ state }: ViewProps): JSX.Element {
  return (
    <section>
      <h2>Jobs</h2>
      <Rows
        label="Jobs"
        headings={HEADINGS}
        rows={state.jobs.rows}
        idOf={({ id }) => id}
        empty="No job yet. They appear here as they are submitted."
        cells={(job) => [
          <LocalTime key="at" at={job.createdAt} />,
          <strong key="capability">{displayName(job.capability)}</strong>,
          accountName(state, job.accountId),
          <JobState key="state" job={job} />,
          costOf(job),
          <Id key="id" id={job.id} />,
          job.finishedAt === null ? <Cancel key="actions" job={job} /> : null,
        ]}
      />
      <More name="jobs" page={state.jobs} />
    </section>
  );
}

function JobState({ job: { status, errorCode, reason } }: { readonly job: WireJobRow }): JSX.Element {
  const why = reason ?? errorCode;
  return (
    <>
      <Badge tone={TONES[status]}>{status === 'processing' ? 'rendering' : status}</Badge>
      {why === null ? null : <span class="quiet small"> {why.replaceAll('_', ' ')}</span>}
    </>
  );
}

function costOf({ hold, charged, finishedAt, status }: WireJobRow): string {
  if (charged !== null) return usdExactly(charged);
  if (status === 'failed') return usdExactly(0);
  return finishedAt === null ? `${usdExactly(hold)} held` : 'not settled yet';
}

function Cancel({ job: { id, capability, hold } }: { readonly job: WireJobRow }): JSX.Element {
  const askCancel = (): void =>
    openDialog({
      title: `Cancel this ${displayName(capability).toLowerCase()}?`,
      text: `It ends as failed, and the ${usdExactly(hold)} held for it go back to the account.`,
      fields: [],
      action: 'Cancel the job',
      isDanger: true,
      verb: () => ({ verb: 'cancel_job', jobId: id }),
    });
  return (
    <button type="button" class="careful" onClick={askCancel}>
      Cancel<span class="hidden-visually"> job {id.slice(0, 12)}</span>
    </button>
  );
}
