const TEXT_LENGTH_MAX = 100;
/** More than that is not even looked at. */
const LENGTH_READ_MAX = 1_000;
/** What may be said about traffic: sizes, counts, amounts, kinds. Anything else is left out. */
const DETAIL_FIELDS: ReadonlySet<string> = new Set([
  'amount_usd',
  'attempt',
  'bytes',
  'capability',
  'channel',
  'close_code',
  'code',
  'command',
  'count',
  'delivered_to',
  'files',
  'guild',
  'injected',
  'job_status',
  'kind',
  'on',
  'reason',
  'seconds',
  'user',
]);
/** Runs of what keys, tokens, signatures and ids are made of. */
const RUN = /[\w+=~.-]{16,}/g;
const RUN_LENGTH_MAX = 30;

/** A text without what could be secret in it: no query, no long run, and no run of letters among digits. */
export function safeText(text: string): string {
  return text
    .slice(0, LENGTH_READ_MAX)
    .replace(/\?.*$/s, '')
    .replace(RUN, (run) => (isOpaque(run) ? '[hidden]' : run))
    .slice(0, TEXT_LENGTH_MAX);
}

/** Of the details only those that may be said, with safe texts. */
export function safeDetail(
  detail: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string | number | boolean>> {
  const kept: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(detail)) {
    if (!DETAIL_FIELDS.has(name)) continue;
    if (typeof value === 'number' || typeof value === 'boolean') kept[name] = value;
    if (typeof value === 'string') kept[name] = safeText(value);
  }
  return kept;
}

/** Words and snowflakes are neither that long nor mixed. */
function isOpaque(run: string): boolean {
  return run.length > RUN_LENGTH_MAX || (/\d/.test(run) && /[A-Za-z]/.test(run));
}
