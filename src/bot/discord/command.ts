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
import type { ConsentStore } from '../people/members/consents.ts';
import type { FaceStore } from '../people/members/faces.ts';
import type { PrivacyDesk } from '../people/members/privacy.ts';
import type { OperatorDesk } from '../people/operator/operator-desk.ts';
import type { VoiceConversion } from '../sessions/voice-swap/desk/voice-desk.ts';

/**
 * How an interaction is acknowledged before any work is done. `public` and `private` (visible only to the member) start
 * a reply, `update` keeps the message of the component, and `form` waits for the form to show, which the handler must
 * return within a second.
 */
export type Answer = 'public' | 'private' | 'update' | 'form';

/** Commands have no message that they could update. */
type CommandAnswer = Exclude<Answer, 'update'>;

/** A slash command. Every slash command in `commands/` exports a plain object of this type. */
export interface Command {
  readonly data: CommandData;
  /** Default: `public`. */
  readonly answer?: CommandAnswer | ((call: CommandCall) => CommandAnswer);
  /**
   * Runs while the acknowledgement is still on its way. It does local work only, which takes a few milliseconds; longer
   * work is stored as a job. An error with `userMessage` is shown with that text.
   */
  execute(call: CommandCall, services: CommandServices): Promise<CommandResult>;
  /** Returns suggestions for an option while the member types. At most 25 are shown. */
  complete?(call: CompletionCall, services: CommandServices): Promise<readonly Choice[]>;
}

/** An entry of the context menu of a message or a member. */
export interface MenuCommand {
  readonly data: MenuData;
  readonly answer: CommandAnswer;
  execute(call: MenuCall, services: CommandServices): Promise<CommandResult>;
}

/** A button or select menu. It is found by the action in its custom id, so it works after restarts and after weeks. */
export interface Component {
  readonly action: string;
  readonly answer: Answer;
  execute(call: ComponentCall, services: CommandServices): Promise<CommandResult>;
}

/** A form (modal) that a member sends. It is found by the action in its custom id. */
export interface Form {
  readonly action: string;
  /** `update` is for forms that a component opened. For forms that a command opened, it means `private`. */
  readonly answer: Exclude<Answer, 'form'>;
  execute(call: FormCall, services: CommandServices): Promise<CommandResult>;
}

type Scope = 'contexts' | 'integration_types' | 'default_member_permissions' | 'nsfw';
type ScopeOf<T extends Partial<Record<Scope, unknown>>> = T & Required<Pick<T, Scope>>;

/** The definition as Discord takes it. It always states where the command may be used, and by whom. */
export type CommandData = ScopeOf<RESTPostAPIChatInputApplicationCommandsJSONBody>;
export type MenuData = ScopeOf<RESTPostAPIContextMenuApplicationCommandsJSONBody>;
/** A slash command, or an entry of a context menu. */
export type AnyCommandData = CommandData | MenuData;

/** The services that commands may call. */
export interface CommandServices {
  readonly intake: Pick<Intake, 'accept' | 'acknowledged' | 'abandon'>;
  /** The rules of a server, for its admins. */
  readonly access: Access;
  readonly faces: FaceStore;
  readonly consents: ConsentStore;
  readonly privacy: PrivacyDesk;
  readonly voices: OfferedVoices;
  /** Live conversion of speech in voice channels. */
  readonly voice: VoiceConversion;
  /** Live Swap Pro, on a page in the member's browser. */
  readonly liveSwap: LiveSwap;
  readonly desk: JobDesk;
  readonly picks: Pick<Picks, 'keep' | 'find'>;
  readonly results: Pick<KeptResults, 'ofJob' | 'ofMessage'>;
  readonly fileLimits: FileLimits;
  /** The budgets of a server, which its members see and its budget managers change. */
  readonly budgets: GuildBudgets;
  /** The operator's view of the bot. */
  readonly operator: OperatorDesk;
  /** Returns how the server's budget stands. */
  readonly budget: (guildId: string) => Promise<BudgetView>;
  /** Reports what the server spent its money on. */
  readonly spending: SpendReports;
  /** Lists charges above the amount set aside, and releases members whose jobs wait. */
  readonly overruns: Overruns;
  readonly charts: SpendCharts;
}

/** The limits of members' files. */
export interface FileLimits {
  readonly bytesMax: Readonly<Record<'image' | 'audio' | 'video', number>>;
  readonly secondsMax: Readonly<Record<'audio' | 'video', number>>;
  readonly megapixelsMax: number;
}

/** The voices of the service. */
export interface OfferedVoices {
  /** Null until the service has answered. Nothing waits for it. */
  readonly list: readonly OfferedVoice[] | null;
}

/** A voice. Name and description come from the service and are untrusted text. */
export interface OfferedVoice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** A link on the service's own host. Null if there is no preview. */
  readonly previewUrl: string | null;
}

export type CommandResult =
  /** A job was accepted. From now on it shows its own cards. */
  | { readonly kind: 'job'; readonly jobId: string }
  /** The whole answer, with the files that `reply` names. For `update`, the new content of the component's message. */
  | { readonly kind: 'reply'; readonly reply: MessageBody; readonly files?: readonly ReplyFile[] }
  /** An answer to the member alone. The message of the component stays as it is. */
  | { readonly kind: 'whisper'; readonly reply: MessageBody }
  /** Only for handlers whose `answer` is `form`. */
  | { readonly kind: 'form'; readonly form: APIModalInteractionResponseCallbackData }
  /** No answer, because the member sees the effect. A reply that was started is deleted. */
  | { readonly kind: 'nothing' };

/** The checked data that every use of the bot has. */
interface Call {
  /** Who asked, where and when, as a job request needs it. */
  readonly origin: CallOrigin;
}

/** One use of a slash command. */
export interface CommandCall extends Call {
  /** The subcommand, such as `save` in `/face save`, or `set limit` within a group. Null if there is none. */
  readonly subcommand: string | null;
  /** The attached files by option name. */
  readonly attachments: ReadonlyMap<string, AttachedFile>;
  /** Texts, and the ids of chosen users, roles and channels, by option name. */
  readonly texts: ReadonlyMap<string, string>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly flags: ReadonlyMap<string, boolean>;
}

/** A member types into `option`. */
export interface CompletionCall extends Omit<CommandCall, 'attachments'> {
  readonly option: string;
  readonly typed: string;
}

/** One use of a context menu. */
export interface MenuCall extends Call {
  readonly target: TargetMessage | TargetUser;
}

/** One press of a button, or choice in a select menu. */
export interface ComponentCall extends Call {
  /** The arguments that follow the action in the custom id. */
  readonly args: readonly string[];
  /** The choices in a select menu: values, or ids of users, roles or channels. */
  readonly values: readonly string[];
  readonly message: TargetMessage;
}

/** One form that a member sent. */
export interface FormCall extends Call {
  readonly args: readonly string[];
  /** Texts by the custom id of the input. */
  readonly texts: ReadonlyMap<string, string>;
  /** Chosen values of select menus by custom id. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
  /** The uploaded file by custom id. If a field has several files, the first one. */
  readonly attachments: ReadonlyMap<string, AttachedFile>;
  /** The message of the component that opened the form. */
  readonly message: TargetMessage | null;
}

export interface TargetMessage {
  readonly kind: 'message';
  readonly id: string;
  readonly authorId: string;
  /** Whether the bot itself posted it. */
  readonly isOwn: boolean;
  readonly attachments: readonly NamedFile[];
}

export interface TargetUser {
  readonly kind: 'user';
  readonly id: string;
  readonly isBot: boolean;
  /** The link to the picture on Discord's CDN, that of this server if there is one. Null if the user has no picture. */
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

/** A suggestion: the text for the member, and the value of the option. Each has at most 100 characters. */
export interface Choice {
  readonly name: string;
  readonly value: string;
}

/**
 * Limits a command to servers that the bot itself was added to. Every member may use it, also in channels without an age
 * restriction. The dispatch checks this again. A command that differs spreads its own values after these.
 */
export const IN_SERVERS_ONLY: Pick<CommandData, Scope> = {
  contexts: [InteractionContextType.Guild],
  integration_types: [ApplicationIntegrationType.GuildInstall],
  default_member_permissions: null,
  nsfw: false,
};

/** Makes an option for a file of one kind, or with one extension. Discord checks only the extension of the name. */
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
