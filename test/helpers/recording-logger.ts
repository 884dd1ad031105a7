import { inspect } from 'node:util';
import type { Logger } from '../../src/base/log.ts';

/** Keeps everything that is logged, before any redaction, errors with their causes. */
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
