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

/** A refusal of the console; its message is for whoever sits before it. Nothing was changed. */
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

/** What somebody typed cannot be taken. */
export function refuseField(field: string, message: string): ConsoleRefusal {
  return new ConsoleRefusal('refused', message, { field });
}
