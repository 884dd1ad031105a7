import { parseArgs } from 'node:util';

/** The service to check, with its options. */
export interface ConformanceOptions {
  /** The base URL, including `/api/v1`. */
  readonly baseUrl: string;
  readonly key: string;
  /** The account's webhook signing secret. Without it no webhook is checked. */
  readonly secret?: string | undefined;
  /** The service's name in webhook headers. Default `Service`. */
  readonly headerPrefix: string;
  /**
   * The address at which the service reaches this machine, as `host` or `host:port`. Default: loopback, if the
   * service itself is on loopback.
   */
  readonly callbackHost?: string | undefined;
  /** Whether to run only tests that change nothing and cost nothing. */
  readonly readOnly: boolean;
  /** The key's rate limit, which the suite respects in any 60 seconds. Default 60. */
  readonly requestsPerMinute: number;
  /** How long a job may take. Default 600 s. */
  readonly jobSeconds: number;
}

const FLAGS = {
  'base-url': { type: 'string' },
  key: { type: 'string' },
  secret: { type: 'string' },
  'header-prefix': { type: 'string', default: 'Service' },
  'callback-host': { type: 'string' },
  'read-only': { type: 'boolean', default: false },
  'requests-per-minute': { type: 'string', default: '60' },
  'job-seconds': { type: 'string', default: '600' },
} as const;

export const USAGE = `npm run conformance -- --base-url <url with /api/v1> --key <key> [--secret <signing secret>]
    [--callback-host <host[:port]>] [--header-prefix <name>] [--read-only]
    [--requests-per-minute <number>] [--job-seconds <number>]`;

/** The environment variable that passes the options to the tests. */
export const VARIABLE = 'CONFORMANCE_OPTIONS';

/** Reads the command line. Throws `TypeError` with one line that says what is missing or wrong. */
export function readOptions(args: readonly string[]): ConformanceOptions {
  const { values } = parseArgs({ args: [...args], options: FLAGS, strict: true });
  const { 'base-url': baseUrl, key } = values;
  if (baseUrl === undefined || !/^https?:\/\/.+\/v\d+\/?$/.test(baseUrl)) {
    throw new TypeError('--base-url needs the versioned base URL, such as https://host/api/v1');
  }
  if (key === undefined) throw new TypeError('--key needs an API key');
  return {
    baseUrl: baseUrl.replace(/\/$/, ''),
    key,
    secret: values.secret,
    headerPrefix: values['header-prefix'],
    callbackHost: values['callback-host'],
    readOnly: values['read-only'],
    requestsPerMinute: whole(values['requests-per-minute'], '--requests-per-minute'),
    jobSeconds: whole(values['job-seconds'], '--job-seconds'),
  };
}

function whole(text: string, name: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new TypeError(`${name} needs a whole number above 0`);
}
