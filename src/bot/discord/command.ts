import {
  type APIApplicationCommandAttachmentOption,
  type APIModalInteractionResponseCallbackData,
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPostAPIContextMenuApplicationCommandsJSONBody,
} from 'discord.js';
import type { SpendCharts } from '../money/charts/chart-request.ts';
import type { BudgetView } from '../money/caps/budget.ts';
import type { ReplyFile } from './interactions/raw-file.ts';
import type { MessageBody } from './wire/message-calls.ts';
import type { Access } from '../people/access/access.ts';
import type { JobDesk } from '../jobs/desk/job-desk.ts';
import type { CallOrigin } from '../jobs/call-origin.ts';
import type { Intake } from '../jobs/intake/intake.ts';
import type { KeptResults } from '../jobs/results/kept-results.ts';
import type { Picks } from '../jobs/intake/picks.ts';
import type { GuildBudgets } from '../money/budgets/guild-budgets.ts';
import type { Overruns } from '../money/overruns/overruns.ts';
import type { SpendReports } from '../money/spend/spend-reports.ts';
import type { LiveSwap } from '../sessions/live-swap/live-swap.ts';
import type { ConsentStore } from '../people/members/consent-store.ts';
import type { FaceStore } from '../people/members/face-store.ts';
import type { PrivacyDesk } from '../people/members/privacy-desk.ts';
import type { OperatorDesk } from '../people/operator/operator-desk.ts';
import type { VoiceConversion } from '../sessions/voice-swap/desk/voice-conversion.ts';

/**
 * How an interaction is acknowledged before any work starts. `public` and `private` (visible only to the member) start
 * a reply, `update` keeps the component's message, and `form` waits for the handler, which must return a form within
 * 1.5 s.
 */
export type Answer = 'public' | 'private' | 'update' | 'form';

/** Commands have no message to update. */
type CommandAnswer = Exclude<Answer, 'update'>;

/** A slash command. Every slash command in `commands/` exports a plain object of this type. */
export interface Command {
  readonly data: CommandData;
  /** Default: `public`. */
  readonly answer?: CommandAnswer | ((call: CommandCall) => CommandAnswer);
  /**
   * Runs while the acknowledgement is being sent. It does only local work that takes a few milliseconds; longer work is
   * stored as a job. If it throws an error with a `userMessage`, the member sees that message.
   */
  execute(call: CommandCall, services: CommandServices): Promise<CommandResult>;
  /** Returns suggestions for an option while the member types. At most 25 are shown. */
  complete?(call: CompletionCall, services: CommandServices): Promise<readonly Choice[]>;
}

/** An entry in the context menu of a message or a member. */
export interface MenuCommand {
  readonly data: MenuData;
  readonly answer: CommandAnswer;
  execute(call: MenuCall, services: CommandServices): Promise<CommandResult>;
}

/**
 * A button or select menu. It is identified by the action in its custom id, so it still works weeks later and after
 * restarts.
 */
export interface Component {
  readonly action: string;
  readonly answer: Answer;
  execute(call: ComponentCall, services: CommandServices): Promise<CommandResult>;
}

/** A form (modal) that a member submits. It is identified by the action in its custom id. */
export interface Form {
  readonly action: string;
  /** `update` is for forms that a component opened. For forms that a command opened, it means `private`. */
  readonly answer: Exclude<Answer, 'form'>;
  execute(call: FormCall, services: CommandServices): Promise<CommandResult>;
}

type Scope = 'contexts' | 'integration_types' | 'default_member_permissions' | 'nsfw';
type ScopeOf<T extends Partial<Record<Scope, unknown>>> = T & Required<Pick<T, Scope>>;

/** A definition in Discord's format. It always specifies where the command may be used, and by whom. */
export type CommandData = ScopeOf<RESTPostAPIChatInputApplicationCommandsJSONBody>;
export type MenuData = ScopeOf<RESTPostAPIContextMenuApplicationCommandsJSONBody>;
/** A slash command, or an entry in a context menu. */
export type AnyCommandData = CommandData | MenuData;

/** The services that commands may call. */
export interface CommandServices {
  readonly intake: Pick<Intake, 'accept' | 'acknowledged' | 'abandon'>;
  /** A server's access rules, for its admins. */
  readonly access: Access;
  readonly faces: FaceStore;
  readonly consents: ConsentStore;
  readonly privacy: PrivacyDesk;
  readonly voices: OfferedVoices;
  /** The live conversion of speech in voice channels. */
  readonly voice: VoiceConversion;
  /** Live Swap Pro, on a page in the member's browser. */
  readonly liveSwap: LiveSwap;
  readonly desk: JobDesk;
  readonly picks: Pick<Picks, 'keep' | 'find'>;
  readonly results: Pick<KeptResults, 'ofJob' | 'ofMessage'>;
  readonly fileLimits: FileLimits;
  /** A server's budgets, which its members see and its budget managers change. */
  readonly budgets: GuildBudgets;
  /** The operator's view of the bot. */
  readonly operator: OperatorDesk;
  /** Returns the state of the server's budget. */
  readonly budget: (guildId: string) => Promise<BudgetView>;
  /** Reports what the server spent its money on. */
  readonly spending: SpendReports;
  /** Lists charges above the held amount, and unblocks members whose new jobs wait because of such a charge. */
  readonly overruns: Overruns;
  readonly charts: SpendCharts;
}

/** The limits for members' files. */
export interface FileLimits {
  readonly bytesMax: Readonly<Record<'image' | 'audio' | 'video', number>>;
  readonly secondsMax: Readonly<Record<'audio' | 'video', number>>;
  readonly megapixelsMax: number;
}

/** The service's voices. */
export interface OfferedVoices {
  /** Null until the service has answered. No command waits for that. */
  readonly list: readonly OfferedVoice[] | null;
}

/** A voice. The name and description come from the service and must not be trusted. */
export interface OfferedVoice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** A link to the service's own host. Null if there is no preview. */
  readonly previewUrl: string | null;
}

export type CommandResult =
  /** A job was accepted. From now on, its own cards show its state. */
  | { readonly kind: 'job'; readonly jobId: string }
  /**
   * The whole reply, with the files that `reply` refers to. If the handler's `answer` is `update`, it is the new
   * content of the component's message.
   */
  | { readonly kind: 'reply'; readonly reply: MessageBody; readonly files?: readonly ReplyFile[] }
  /** A reply that only the member sees. The component's message stays unchanged. */
  | { readonly kind: 'whisper'; readonly reply: MessageBody }
  /** Only for handlers whose `answer` is `form`. */
  | { readonly kind: 'form'; readonly form: APIModalInteractionResponseCallbackData }
  /** No reply, because the member sees the effect. A reply that was started is deleted. */
  | { readonly kind: 'nothing' };

/** The checked data that comes with every use of the bot. */
interface Call {
  /** The member, the place and the time, in the form that a job request needs. */
  readonly origin: CallOrigin;
}

/** One use of a slash command. */
export interface CommandCall extends Call {
  /** The subcommand, such as `save` in `/face save`, or `set limit` within a group. Null if there is none. */
  readonly subcommand: string | null;
  /** The attached files by option name. */
  readonly attachments: ReadonlyMap<string, AttachedFile>;
  /** Strings, and ids of chosen users, roles and channels, by option name. */
  readonly texts: ReadonlyMap<string, string>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly flags: ReadonlyMap<string, boolean>;
}

/** A request for suggestions, sent while a member types into `option`. */
export interface CompletionCall extends Omit<CommandCall, 'attachments'> {
  readonly option: string;
  readonly typed: string;
}

/** One use of a context menu. */
export interface MenuCall extends Call {
  readonly target: TargetMessage | TargetUser;
}

/** One click on a button, or one choice in a select menu. */
export interface ComponentCall extends Call {
  /** The arguments that follow the action in the custom id. */
  readonly args: readonly string[];
  /** The choices in a select menu: values, or ids of users, roles or channels. */
  readonly values: readonly string[];
  readonly message: TargetMessage;
}

/** One form that a member submitted. */
export interface FormCall extends Call {
  readonly args: readonly string[];
  /** Entered texts by the custom id of the input. */
  readonly texts: ReadonlyMap<string, string>;
  /** Values chosen in select menus, by the custom id of the menu. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
  /** Uploaded files by the custom id of the field. Only the first file of each field is kept. */
  readonly attachments: ReadonlyMap<string, AttachedFile>;
  /** The message of the component that opened the form; null if a command opened it. */
  readonly message: TargetMessage | null;
}

export interface TargetMessage {
  readonly kind: 'message';
  readonly id: string;
  readonly authorId: string;
  /** Whether the bot itself posted the message. */
  readonly isOwn: boolean;
  readonly attachments: readonly NamedFile[];
}

export interface TargetUser {
  readonly kind: 'user';
  readonly id: string;
  readonly isBot: boolean;
  /**
   * The link to the picture on Discord's CDN, which is the user's picture for this server if they have one. Null if
   * the user has no picture.
   */
  readonly avatarUrl: string | null;
}

export interface AttachedFile {
  readonly url: string;
  readonly sizeBytes: number;
  /** The type that Discord derives from the file's name. It may be wrong. */
  readonly contentType: string | null;
}

export interface NamedFile extends AttachedFile {
  readonly id: string;
  readonly name: string;
}

/** A suggestion: the text that the member sees, and the option's value. Each has at most 100 characters. */
export interface Choice {
  readonly name: string;
  readonly value: string;
}

/**
 * Limits a command to servers to which the bot itself was added. Every member may use it, and in all channels rather
 * than only in age-restricted ones. The dispatch checks these conditions again. A command that needs other values lists
 * them after spreading these.
 */
export const IN_SERVERS_ONLY: Pick<CommandData, Scope> = {
  contexts: [InteractionContextType.Guild],
  integration_types: [ApplicationIntegrationType.GuildInstall],
  default_member_permissions: null,
  nsfw: false,
};

/**
 * Creates an option for a file of one kind, or with one extension. Discord checks only the extension in the file name.
 */
export function attachmentOption(
  name: string,
  description: string,
  type: 'image' | 'audio' | 'video' | `.${string}`,
  required = true,
): APIApplicationCommandAttachmentOption {
  return {
    type: ApplicationCommandOptionType.Attachment,
    name,
    description,
    required,
    file_types: [type],
  };
}
