import { DiscordError } from './errors.ts';

/** What a failed REST call means for the one who made it. */
type RestVerdict =
  /** No answer, or one that says "later": worth a retry. */
  | { readonly kind: 'unreachable' }
  /** The interaction's token is no longer good; the bot's own still may be. */
  | { readonly kind: 'token_dead' }
  /** This message cannot be edited any more (deleted, too old, thread archived); a new one may be posted. */
  | { readonly kind: 'uneditable'; readonly reason: string }
  /** The same call will be refused again. */
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

/** Sorts an error of the REST client by Discord's answer; anything that is not an answer is `unreachable`. */
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
  // The bot's own token was refused: nothing about this message is decided yet.
  if (status === 401) return { kind: 'unreachable' };
  return { kind: 'refused', reason: `refused_${code === 0 ? `http_${status}` : code}` };
}

/** Discord's numeric error code, when the error is an answer that has one. */
export function restErrorCode(error: unknown): number | undefined {
  return numberOf(error, 'status') === undefined ? undefined : numberOf(error, 'code');
}

/**
 * The error to throw in place of one of the REST client's, which hold the request with its tokens and files.
 * `action` completes "Cannot ...".
 */
export function withoutRequest(error: unknown, action: string): DiscordError {
  if (error instanceof DiscordError) return error;
  const status = numberOf(error, 'status');
  const code = restErrorCode(error);
  if (status === undefined) {
    const why = error instanceof Error ? error.name : 'no answer';
    return new DiscordError('unreachable', `Cannot ${action}: Discord could not be asked (${why})`);
  }
  const detail = code === undefined ? `${status}` : `${status}, code ${code}`;
  const kind = judgeRestError(error).kind === 'unreachable' ? 'unreachable' : 'refused';
  return new DiscordError(kind, `Cannot ${action}: Discord answered ${detail}`);
}

// By shape and not by class: an embedding program may bring its own copy of the REST client.
function numberOf(error: unknown, field: 'status' | 'code'): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const value = (error as Error & Partial<Record<typeof field, unknown>>)[field];
  return typeof value === 'number' ? value : undefined;
}
