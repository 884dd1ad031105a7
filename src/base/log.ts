import { type Logger as PinoLogger, destination, pino } from 'pino';

/** A structured log: a static message plus fields. Callers never pass secrets, signed links, prompts or media names. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Logger;
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const SECRET_FIELDS = [
  'token',
  'secret',
  'key',
  'authorization',
  'url',
  'outputUrl',
  'apiKey',
  'signingSecret',
  'password',
];

/**
 * Creates a logger that writes JSON lines to the file `path`, or to stderr if `path` is missing. stdout is reserved for
 * the program's output.
 */
export function createLogger(level: LogLevel = 'info', path?: string): PinoLogger & Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: SECRET_FIELDS.flatMap((field) => [field, `*.${field}`]), censor: '[hidden]' },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: serializeError, err: serializeError },
    },
    destination({ dest: path ?? 2, sync: true }),
  );
}

const noop = (): void => undefined;

/** A log that discards everything: the default of an embedded bot whose host passes no logger. */
export const silentLogger: Logger = {
  debug: noop,
  info: noop,
  warn: noop,
  error: noop,
  child: () => silentLogger,
};

/** Returns a URL without query, fragment and credentials, which makes it safe for logs. */
export function loggableUrl(url: string | URL): string {
  const parsed = URL.parse(String(url));
  return parsed ? `${parsed.origin}${parsed.pathname}` : '[not a URL]';
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  return {
    type: error.name,
    message: hideQueries(error.message),
    ...('code' in error ? { code: error.code } : {}),
    stack: hideQueries(error.stack ?? ''),
    ...(error.cause === undefined ? {} : { cause: serializeError(error.cause) }),
  };
}

function hideQueries(text: string): string {
  return text.replace(/(https?:\/\/[^\s?"']+)\?[^\s"']*/g, '$1?[hidden]');
}
