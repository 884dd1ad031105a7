import { inspect } from 'node:util';
import type { Logger } from '../../src/base/log.ts';

/** Creates a logger that adds everything to `lines` unredacted, with the causes of errors. */
export function recordingLogger(lines: string[]): Logger {
  const record = (fields: object, message: string): void => {
    lines.push(`${message} ${inspect(fields, { depth: 10 })}`);
  };
  const logger: Logger = {
    debug: record,
    info: record,
    warn: record,
    error: record,
    child: () => logger,
  };
  return logger;
}
