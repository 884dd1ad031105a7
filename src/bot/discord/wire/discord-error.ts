import { ServiceError } from '../../../base/errors.ts';

type DiscordErrorCode =
  /** Discord does not accept the bot token. */
  | 'token_refused'
  /** Discord could not be reached, or reported that it is currently unavailable. */
  | 'unreachable'
  /** Discord refused the request, and would refuse it again. */
  | 'refused'
  /** The command was used where it does not work. */
  | 'wrong_place'
  /** The member may not do this here. */
  | 'not_permitted'
  /** Data from Discord does not have the documented shape. */
  | 'malformed';

/** An expected failure in the communication with Discord. It never contains a token, a request or a URL. */
export class DiscordError extends ServiceError<DiscordErrorCode> {}
