import type { ModalBody } from './component-body.ts';
import type { Channel, Guild, Member } from './guild.ts';
import type { Message } from './message.ts';
import type { Payload } from './payload.ts';
import type { Application, User } from './user.ts';

/** Discord's numbers of the kinds of interactions. */
export const INTERACTION_TYPES = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

/** Discord's numbers of the kinds of first answers. */
export const CALLBACK_TYPES = {
  message: 4,
  deferredMessage: 5,
  deferredUpdate: 6,
  update: 7,
  autocomplete: 8,
  modal: 9,
} as const;

/** How long a first answer may take. */
export const ACKNOWLEDGE_MS_MAX = 3000;
/** How long an interaction's token works. */
export const TOKEN_LIFETIME_MS: number = 15 * 60_000;

/** Whether an interaction was answered. */
type InteractionState =
  | { readonly is: 'waiting' }
  | { readonly is: 'acknowledged'; readonly callbackType: number; readonly atMs: number }
  /** Nobody answered in time: the member sees "The application did not respond". */
  | { readonly is: 'failed'; readonly atMs: number };

/** A member used a command, a component, a form or asked for suggestions. */
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
  /** The `data` that goes to the bot. */
  readonly data: Payload;
  /** The full name of the command, without the slash. */
  readonly commandName: string | null;
  /** The message whose component was used. */
  readonly source: Message | null;
  /** For a form: the interaction that opened it. */
  readonly opener: Interaction | null;
  state: InteractionState;
  /** What `@original` means. */
  original: Message | null;
  readonly followUps: Message[];
  /** The answer to autocomplete. */
  choices: readonly Payload[] | null;
  modal: ModalBody | null;
}
