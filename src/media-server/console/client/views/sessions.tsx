import type { JSX } from 'preact';
import type { WireSessionRow } from '../../console-wire.ts';
import { usdExactly } from '../../../../base/pages/kit/usd.ts';
import type { ViewProps } from './view.ts';
import { LocalTime } from '../parts/local-time.tsx';
import { Badge, Id, More, Rows, accountName } from '../parts/rows.tsx';
import { formatLength, displayName } from '../parts/format.ts';

const HEADINGS = ['Opened', 'Capability', 'Account', 'State', 'Streamed', 'Cost', 'Session'];

const STATES: Readonly<Record<WireSessionRow['state'], readonly [tone: string, word: string]>> = {
  opening: ['quiet', 'opening'],
  ready: ['quiet', 'waits for its client'],
  connected: ['accent', 'connected'],
  succeeded: ['good', 'ended'],
  failed: ['bad', 'failed'],
};

/** The live and voice sessions of all accounts as they progress, newest first. */
export function Sessions({ state }: ViewProps): JSX.Element {
  return (
    <section>
      <h2>Sessions</h2>
      <Rows
        label="Sessions"
        headings={HEADINGS}
        rows={state.sessions.rows}
        idOf={({ id }) => id}
        empty="No session yet. They appear here as they are opened."
        cells={(session) => [
          <LocalTime key="at" at={session.createdAt} />,
          <strong key="capability">{displayName(session.capability)}</strong>,
          accountName(state, session.accountId),
          <SessionState key="state" session={session} />,
          `${formatLength((session.streamedMs ?? 0) / 1000)} of ${formatLength(session.seconds)}`,
          session.charged === null ? `up to ${usdExactly(session.costMax)}` : usdExactly(session.charged),
          <Id key="id" id={session.id} />,
        ]}
      />
      <More name="sessions" page={state.sessions} />
    </section>
  );
}

function SessionState({ session: { state, reason } }: { readonly session: WireSessionRow }): JSX.Element {
  const [tone, word] = STATES[state];
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {reason === null ? null : <span class="quiet small"> {reason.replaceAll('_', ' ')}</span>}
    </>
  );
}
