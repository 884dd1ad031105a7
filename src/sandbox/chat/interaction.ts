import type { ModalBody } from './component-body.ts';
import type { Channel, Guild, Member } from './guild.ts';
import type { Message } from './message.ts';
import type { Payload } from './payload.ts';
import type { Application, User } from './user.ts';

/** Discord's numbers for interaction types. */
export const INTERACTION_TYPES = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

/** Discord's numbers for the types of a first response. */
export const CALLBACK_TYPES = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  autocomplete: 8,
  modal: 9,
} as const;

/** The time limit for a first response. */
export const ACKNOWLEDGE_MS_MAX = 3000;
/** The lifetime of an interaction's token. */
export const TOKEN_LIFETIME_MS: number = 15 * 60_000;

/** Whether and when the bot has responded to an interaction. */
type InteractionState =
  | { readonly is: 'waiting' }
  | { readonly is: 'acknowledged'; readonly callbackType: number; readonly atMs: number }
  /** The bot did not respond in time: the member sees "The application did not respond". */
  | { readonly is: 'failed'; readonly atMs: number };

/** One use of a command, component or form by a member, or a request for suggestions. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly type: number;
  readonly application: Application;
  readonly guild: Guild | null;
  readonly channel: Channel;
  readonly user: User;
  /** Null outside a guild. */
  readonly member: Member | null;
  readonly createdAtMs: number;
  /** The interaction's `data`, as the bot receives it. */
  readonly data: Payload;
  /** The full name of the command, without the slash. */
  readonly commandName: string | null;
  /** The message whose component was used. */
  readonly source: Message | null;
  /** The interaction that opened a form, or null. */
  readonly opener: Interaction | null;
  state: InteractionState;
  /** The message that `@original` refers to. */
  original: Message | null;
  readonly followUps: Message[];
  /** The suggestions that the bot returned for autocomplete. */
  choices: readonly Payload[] | null;
  modal: ModalBody | null;
}
