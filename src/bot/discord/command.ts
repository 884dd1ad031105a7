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
import type { SpendReports } from '../money/spend/spend-desk.ts';
import type { LiveSwap } from '../sessions/live-swap/live-swap.ts';
import type { ConsentStore } from '../people/members/consents.ts';
import type { FaceStore } from '../people/members/faces.ts';
import type { PrivacyDesk } from '../people/members/privacy.ts';
import type { OperatorDesk } from '../people/operator/operator-desk.ts';
import type { VoiceConversion } from '../sessions/voice-swap/desk/voice-desk.ts';

/**
 * How Discord is told that something arrived, before any work is done: `public` and `private` (seen by the member
 * alone) begin a reply, `update` keeps the message of the component, `form` waits for the form to show, which the
 * handler must come up with within a second.
 */
export type Answer = 'public' | 'private' | 'update' | 'form';

/** Commands have no message of their own yet. */
type CommandAnswer = Exclude<Answer, 'update'>;

/** What every slash command in `commands/` exports: a plain object of this type. */
export interface Command {
  readonly data: CommandData;
  /** Default: `public`. */
  readonly answer?: CommandAnswer | ((call: CommandCall) => CommandAnswer);
  /**
   * Runs while Discord is still being told that the command arrived. Local work only, a few milliseconds;
   * whatever takes longer is stored as a job. An error with `userMessage` is shown with that text.
   */
  execute(call: CommandCall, services: CommandServices): Promise<CommandResult>;
  /** Suggestions for an option while the member types; at most 25 are shown. */
  complete?(call: CompletionCall, services: CommandServices): Promise<readonly Choice[]>;
}

/** An entry of the context menu of a message or a member. */
export interface MenuCommand {
  readonly data: MenuData;
  readonly answer: CommandAnswer;
  execute(call: MenuCall, services: CommandServices): Promise<CommandResult>;
}

/** A button or select menu, found by the action in its custom id: works after restarts and after weeks. */
export interface Component {
  readonly action: string;
  readonly answer: Answer;
  execute(call: ComponentCall, services: CommandServices): Promise<CommandResult>;
}

/** A form (modal) that was sent, found by the action in its custom id. */
export interface Form {
  readonly action: string;
  /** `update` is for forms that a component opened; for those of commands it is `private`. */
  readonly answer: Exclude<Answer, 'form'>;
  execute(call: FormCall, services: CommandServices): Promise<CommandResult>;
}

type Scope = 'contexts' | 'integration_types' | 'default_member_permissions' | 'nsfw';
type ScopeOf<T extends Partial<Record<Scope, unknown>>> = T & Required<Pick<T, Scope>>;

/** The definition as Discord takes it; where it may be used, and by whom, is always said. */
export type CommandData = ScopeOf<RESTPostAPIChatInputApplicationCommandsJSONBody>;
export type MenuData = ScopeOf<RESTPostAPIContextMenuApplicationCommandsJSONBody>;
/** A slash command, or an entry of a context menu. */
export type AnyCommandData = CommandData | MenuData;

/** What commands may call. */
export interface CommandServices {
  readonly intake: Pick<Intake, 'accept' | 'acknowledged' | 'abandon'>;
  /** Rules of a server, for its admins. */
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
  /** Budgets of a server: for its members to see, for those who manage it to change. */
  readonly budgets: GuildBudgets;
  /** For whoever runs the bot. */
  readonly operator: OperatorDesk;
  /** How the server's budget stands. */
  readonly budget: (guildId: string) => Promise<BudgetView>;
  /** Where the server's money went. */
  readonly spending: SpendReports;
  /** Lists charges above the amount set aside, and releases members whose jobs wait. */
  readonly overruns: Overruns;
  readonly charts: SpendCharts;
}

/** What members' files may be at most. */
export interface FileLimits {
  readonly bytesMax: Readonly<Record<'image' | 'audio' | 'video', number>>;
  readonly secondsMax: Readonly<Record<'audio' | 'video', number>>;
  readonly megapixelsMax: number;
}

/** What the service can speak with. */
export interface OfferedVoices {
  /** Null until the service has told; never waited for. */
  readonly list: readonly OfferedVoice[] | null;
}

/** Name and description are the service's own words: untrusted text. */
export interface OfferedVoice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** A link on the service's own host; null without. */
  readonly previewUrl: string | null;
}

export type CommandResult =
  /** A job was taken on and shows its own cards from here on. */
  | { readonly kind: 'job'; readonly jobId: string }
  /** All there is to say, with the files that `reply` names; for `update`, what the component's message shows now. */
  | { readonly kind: 'reply'; readonly reply: MessageBody; readonly files?: readonly ReplyFile[] }
  /** Told to the member alone, beside the message of the component, which stays as it is. */
  | { readonly kind: 'whisper'; readonly reply: MessageBody }
  /** Only of handlers that answer with a `form`. */
  | { readonly kind: 'form'; readonly form: APIModalInteractionResponseCallbackData }
  /** There is nothing to say: the member sees the effect. A begun reply is taken away. */
  | { readonly kind: 'nothing' };

/** What every use of the bot has in common, checked. */
interface Call {
  /** Who asked, where and when, as a job request needs it. */
  readonly origin: CallOrigin;
}

/** One use of a slash command. */
export interface CommandCall extends Call {
  /** Such as `save` of `/face save`, or `set limit` for one within a group; null without. */
  readonly subcommand: string | null;
  /** The attached files by option name. */
  readonly attachments: ReadonlyMap<string, AttachedFile>;
  /** Texts, and the ids of chosen users, roles and channels, by option name. */
  readonly texts: ReadonlyMap<string, string>;
  readonly numbers: ReadonlyMap<string, number>;
  readonly flags: ReadonlyMap<string, boolean>;
}

/** A member is typing into `option`. */
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
  /** What follows the action in the custom id. */
  readonly args: readonly string[];
  /** What was chosen in a select menu: values, or ids of users, roles, channels. */
  readonly values: readonly string[];
  readonly message: TargetMessage;
}

/** One form that was sent. */
export interface FormCall extends Call {
  readonly args: readonly string[];
  /** Texts by the custom id of the input. */
  readonly texts: ReadonlyMap<string, string>;
  /** Chosen values of select menus by custom id. */
  readonly choices: ReadonlyMap<string, readonly string[]>;
  /** The uploaded file by custom id; of several in one field the first. */
  readonly attachments: ReadonlyMap<string, AttachedFile>;
  /** The message of the component that opened the form. */
  readonly message: TargetMessage | null;
}

export interface TargetMessage {
  readonly kind: 'message';
  readonly id: string;
  readonly authorId: string;
  /** The bot itself posted it. */
  readonly isOwn: boolean;
  readonly attachments: readonly NamedFile[];
}

export interface TargetUser {
  readonly kind: 'user';
  readonly id: string;
  readonly isBot: boolean;
  /** Link to the picture on Discord's CDN (the one of this server first); null when they have none. */
  readonly avatarUrl: string | null;
}

export interface AttachedFile {
  readonly url: string;
  readonly sizeBytes: number;
  /** What Discord claims, from the file's name. */
  readonly contentType: string | null;
}

export interface NamedFile extends AttachedFile {
  readonly id: string;
  readonly name: string;
}

/** A suggestion: what the member reads, and what the option gets. Both at most 100 characters. */
export interface Choice {
  readonly name: string;
  readonly value: string;
}

/**
 * Works in servers only, and only where the bot itself was added; everybody may use it, in channels of every age.
 * The dispatch repeats these demands. What a command says otherwise comes after these.
 */
export const IN_SERVERS_ONLY: Pick<CommandData, Scope> = {
  contexts: [InteractionContextType.Guild],
  integration_types: [ApplicationIntegrationType.GuildInstall],
  default_member_permissions: null,
  nsfw: false,
};

/** A file of one kind, or with one extension. Discord checks only the extension of the name. */
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
