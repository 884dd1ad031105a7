import type { WireRefusal } from '../../console-wire.ts';

/** A refusal by the server. Its message can be shown to users. */
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
const ANSWER_WAIT_MS = 15_000;

/** Sends a request to the console's server. Throws `Refusal`, even if there is no answer. */
export async function request<T>(method: string, path: string, body?: unknown): Promise<T> {
  const init: RequestInit = { method, signal: AbortSignal.timeout(ANSWER_WAIT_MS) };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { 'content-type': 'application/json' };
  }
  const noAnswer = (): never => {
    throw new Refusal('failed', NO_ANSWER);
  };
  const response = await fetch(`api/${path}`, init).catch(noAnswer);
  if (response.status === 204) return undefined as T;
  const answer = (await response.json().catch(noAnswer)) as T | Partial<WireRefusal>;
  if (response.ok) return answer as T;
  // A proxy in front of the server may have answered instead.
  const { error } = answer as Partial<WireRefusal>;
  if (!error) return noAnswer();
  throw new Refusal(error.code, error.message, error.field);
}

/** Returns an error's message for users. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
