const TEXT_LENGTH_MAX = 100;
/** Longer text is cut to this length before it is checked. */
const LENGTH_READ_MAX = 1_000;
/** The traffic details that may be shown: sizes, counts, amounts and kinds. All other details are left out. */
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
/** Runs of characters that occur in keys, tokens, signatures and ids. */
const RUN = /[\w+=~.-]{16,}/g;
const RUN_LENGTH_MAX = 30;

/** Removes possible secrets from text: queries, long runs of characters, and runs that mix letters and digits. */
export function safeText(text: string): string {
  return text
    .slice(0, LENGTH_READ_MAX)
    .replace(/\?.*$/s, '')
    .replace(RUN, (run) => (isOpaque(run) ? '[hidden]' : run))
    .slice(0, TEXT_LENGTH_MAX);
}

/** Returns only the details that may be shown, with possible secrets removed from their text. */
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

/** Whether a run may be a secret. Words and snowflakes are shorter and do not mix letters and digits. */
function isOpaque(run: string): boolean {
  return run.length > RUN_LENGTH_MAX || (/\d/.test(run) && /[A-Za-z]/.test(run));
}
