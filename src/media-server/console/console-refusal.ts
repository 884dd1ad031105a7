import { ServiceError } from '../../base/errors.ts';
import type { WireRefusal } from './console-wire.ts';

type Code = WireRefusal['error']['code'];

const STATUS: Readonly<Record<Code, number>> = {
  signed_out: 401,
  wrong_password: 401,
  forbidden: 403,
  refused: 400,
  limited: 429,
  failed: 500,
};

/** A refusal by the console. Its message is written for the page's user. Nothing was changed. */
export class ConsoleRefusal extends ServiceError<Code> {
  readonly field: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: Code,
    message: string,
    options: { readonly field?: string; readonly retryAfterSeconds?: number; readonly cause?: unknown } = {},
  ) {
    super(code, message, { cause: options.cause });
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return STATUS[this.code];
  }

  get body(): WireRefusal {
    const { code, message, field } = this;
    return { error: { code, message, ...(field === undefined ? {} : { field }) } };
  }
}

/** Returns a refusal of the value in one field. */
export function refuseField(field: string, message: string): ConsoleRefusal {
  return new ConsoleRefusal('refused', message, { field });
}
