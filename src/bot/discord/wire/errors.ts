import { ServiceError } from '../../../base/errors.ts';

type DiscordErrorCode =
  /** Discord does not accept the bot token. */
  | 'token_refused'
  /** Discord could not be asked, or answered that it cannot just now. */
  | 'unreachable'
  /** Discord said no, and would again. */
  | 'refused'
  /** The command was used where it does not work. */
  | 'wrong_place'
  /** The member may not do this here. */
  | 'not_permitted'
  /** What arrived from Discord does not have the documented shape. */
  | 'malformed';

/** An expected failure in talking with Discord. Never holds a token, a request or a URL. */
export class DiscordError extends ServiceError<DiscordErrorCode> {}
