import { DiscordError } from './discord-error.ts';

/** The conclusion that a caller can draw from a failed REST call. */
type RestVerdict =
  /** There was no response, or Discord asked for a later retry. */
  | { readonly kind: 'unreachable' }
  /** The interaction's token is no longer valid; the bot's own token may still work. */
  | { readonly kind: 'token_dead' }
  /** The message can no longer be edited (deleted, too old, thread archived), but a new one may be posted. */
  | { readonly kind: 'uneditable'; readonly reason: string }
  /** Discord refused the call, and would refuse it again. */
  | { readonly kind: 'refused'; readonly reason: string };

const UNEDITABLE: Readonly<Record<number, string>> = {
  10008: 'message_deleted',
  30046: 'edit_limit',
  50083: 'thread_archived',
};

const TOKEN_DEAD: ReadonlySet<number> = new Set([10015, 10062, 50027]);

const REFUSED: Readonly<Record<number, string>> = {
  10003: 'channel_gone',
  10004: 'guild_gone',
  20009: 'explicit_content',
  40005: 'too_large',
  50001: 'missing_access',
  50007: 'cannot_message_user',
  50013: 'missing_permission',
  50278: 'no_shared_guild',
  200000: 'blocked_by_automod',
  200001: 'blocked_by_automod',
};

/** Classifies a REST client error by Discord's response; any error without a response is `unreachable`. */
export function judgeRestError(error: unknown): RestVerdict {
  const status = numberOf(error, 'status');
  if (status === undefined) return { kind: 'unreachable' };
  const code = numberOf(error, 'code') ?? 0;
  if (TOKEN_DEAD.has(code)) return { kind: 'token_dead' };
  const uneditable = UNEDITABLE[code];
  if (uneditable) return { kind: 'uneditable', reason: uneditable };
  const refused = REFUSED[code];
  if (refused) return { kind: 'refused', reason: refused };
  if (status >= 500 || status === 429 || status === 408) return { kind: 'unreachable' };
  if (status === 413) return { kind: 'refused', reason: 'too_large' };
  // With status 401, Discord refuses the bot's own token, so the message is not the problem.
  if (status === 401) return { kind: 'unreachable' };
  return { kind: 'refused', reason: `refused_${code === 0 ? `http_${status}` : code}` };
}

/** Returns Discord's numeric error code if the error is a response with such a code. */
export function restErrorCode(error: unknown): number | undefined {
  return numberOf(error, 'status') === undefined ? undefined : numberOf(error, 'code');
}

/**
 * Returns the error to throw instead of the REST client's own error, which contains the request with its tokens and
 * files. `action` completes "Cannot ...".
 */
export function withoutRequest(error: unknown, action: string): DiscordError {
  if (error instanceof DiscordError) return error;
  const status = numberOf(error, 'status');
  const code = restErrorCode(error);
  if (status === undefined) {
    const why = error instanceof Error ? error.name : 'no answer';
    return new DiscordError('unreachable', `Cannot ${action}: Discord could not be reached (${why})`);
  }
  const detail = code === undefined ? `${status}` : `${status}, code ${code}`;
  const kind = judgeRestError(error).kind === 'unreachable' ? 'unreachable' : 'refused';
  return new DiscordError(kind, `Cannot ${action}: Discord answered ${detail}`);
}

// The error is recognised by its shape, because the host program may have its own copy of the REST client and its
// classes.
function numberOf(error: unknown, field: 'status' | 'code'): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const value = (error as Error & Partial<Record<typeof field, unknown>>)[field];
  return typeof value === 'number' ? value : undefined;
}
