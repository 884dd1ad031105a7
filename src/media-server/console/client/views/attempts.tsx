import type { JSX } from 'preact';
import type { WireAttempt, WireWebhookRow } from '../../console-wire.ts';
import { LocalTime } from '../parts/local-time.tsx';
import './attempts.css';

/** Descriptions of why there was no answer, for users. */
const WORDS: Readonly<Record<string, string>> = {
  timeout: 'no answer in time',
  failed: 'connection failed',
  lost: 'never ended',
  lost_on_order: 'lost on order',
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'cut the connection',
  ENOTFOUND: 'unknown host',
  REFUSED_ADDRESS: 'address not allowed',
};

interface AttemptsProps {
  readonly webhook: WireWebhookRow;
}

/** All attempts to deliver a webhook as they happen, and the time of the next attempt. */
export function Attempts({ webhook: { tries, attempts, attemptsMax, dueAt } }: AttemptsProps): JSX.Element {
  return (
    <div class="attempts">
      <span>
        {attempts} of {attemptsMax}
      </span>
      <ol>
        {tries.map((one) => (
          <Attempt key={one.number} attempt={one} isLast={one.number === attempts} />
        ))}
        {dueAt === null ? null : (
          <li key="next" class="next">
            next at <LocalTime at={dueAt} />
          </li>
        )}
      </ol>
    </div>
  );
}

interface AttemptProps {
  readonly attempt: WireAttempt;
  readonly isLast: boolean;
}

function Attempt({ attempt: { startedAt, endedAt, outcome }, isLast }: AttemptProps): JSX.Element {
  const [tone, word] = wordOf(outcome, isLast);
  const took = endedAt === null ? '' : `, after ${((endedAt - startedAt) / 1000).toFixed(2)} s`;
  return (
    <li class={tone} title={`${outcome ?? word}${took}`}>
      <LocalTime at={startedAt} /> <span>{word}</span>
    </li>
  );
}

function wordOf(outcome: string | null, isLast: boolean): readonly [tone: string, word: string] {
  if (outcome === null) return isLast ? ['accent', 'under way'] : ['bad', 'never ended'];
  return [/^2\d\d$/.test(outcome) ? 'good' : 'bad', WORDS[outcome] ?? outcome];
}
