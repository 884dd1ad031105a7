import type { WireRefusal } from '../../media-server/console/console-wire.ts';

/** The server said no; the message is for people. */
export class Refusal extends Error {
  readonly code: string;
  readonly field: string | undefined;

  constructor(code: string, message: string, field?: string) {
    super(message);
    this.code = code;
    this.field = field;
  }
}

const NO_ANSWER = 'The media server does not answer. Is it running? Please try again in a moment.';

/** Asks the console's server. Throws `Refusal`, also when there is no answer. */
export async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method, signal: AbortSignal.timeout(15_000) };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { 'content-type': 'application/json' };
  }
  const response = await fetch(`api/${path}`, init).catch(() => {
    throw new Refusal('failed', NO_ANSWER);
  });
  if (response.status === 204) return undefined as T;
  const answer = (await response.json().catch(() => {
    throw new Refusal('failed', NO_ANSWER);
  })) as T | WireRefusal;
  if (response.ok) return answer as T;
  const { code, message, field } = (answer as WireRefusal).error;
  throw new Refusal(code, message, field);
}
