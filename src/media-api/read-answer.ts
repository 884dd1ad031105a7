import type { Clock } from '../base/clock.ts';
import { readJson } from '../base/read-json.ts';
import { MediaApiRefusal, MediaApiUnreachable } from './errors.ts';
import type { Answer } from './exchange.ts';
import { errorEnvelope } from './wire.ts';

interface Answered<T> {
  readonly action: string;
  readonly decode: (json: unknown) => T;
}

const CODE_LENGTH_MAX = 100;

/**
 * Turns an HTTP answer into its value or a typed error. A 2xx is a success only if its body can be decoded. Only an
 * error envelope or a 4xx is a refusal. Everything else, such as a proxy's page or a truncated or redirected answer, is
 * `MediaApiUnreachable`.
 */
export function readAnswer<T>(request: Answered<T>, answer: Answer, clock: Clock): T {
  const { status } = answer;
  if (status >= 200 && status < 300) return readSuccess(request, answer);
  if (status >= 300 && status < 400) throw unreadable(request.action, 'redirected', answer);
  const envelope = errorEnvelope.safeParse(readJson(answer.body.toString('utf8')));
  if (!envelope.success && status >= 500) throw unreadable(request.action, 'bad_answer', answer);
  const code = envelope.data?.error.code.slice(0, CODE_LENGTH_MAX) ?? `http_${status}`;
  throw new MediaApiRefusal(request.action, { status, code, retryAfterMs: retryAfterMs(clock, answer) });
}

function readSuccess<T>({ action, decode }: Answered<T>, answer: Answer): T {
  if (!answer.complete) {
    const tooLarge = answer.overLimit;
    throw unreadable(action, tooLarge ? 'answer_too_large' : 'connection_lost', answer);
  }
  try {
    return decode(readJson(answer.body.toString('utf8')));
  } catch (error) {
    throw unreadable(action, 'bad_answer', answer, error);
  }
}

function unreadable(
  action: string,
  code: MediaApiUnreachable['code'],
  answer: Answer,
  cause?: unknown,
): MediaApiUnreachable {
  const phase = code === 'connection_lost' ? 'body' : 'answer';
  return new MediaApiUnreachable(action, { code, phase, ambiguous: true, status: answer.status, cause });
}

/** Returns `Retry-After`, given in seconds or as a date, as milliseconds from now. */
function retryAfterMs(clock: Clock, answer: Answer): number | null {
  const value = answer.headers['retry-after'];
  if (typeof value !== 'string') return null;
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - clock.now());
}
