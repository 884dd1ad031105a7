import {
  type APIApplicationCommandAttachmentOption,
  ApplicationCommandOptionType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import type { JobIntake, JobRequest } from '../jobs/ports.ts';
import type { MessageBody } from './message-calls.ts';

/** What every file in `commands/` exports: a plain object of this type. */
export interface Command {
  readonly data: CommandData;
  /**
   * Runs while Discord is still being told that the command arrived. Local work only, a few milliseconds;
   * whatever takes longer is stored as a job. An error with `userMessage` is shown with that text.
   */
  execute(call: CommandCall, services: CommandServices): Promise<CommandResult>;
}

/** The definition as Discord takes it; where it may be used is always said. */
export type CommandData = RESTPostAPIChatInputApplicationCommandsJSONBody &
  Required<Pick<RESTPostAPIChatInputApplicationCommandsJSONBody, 'contexts' | 'integration_types'>>;

/** What commands may call. */
export interface CommandServices {
  readonly intake: JobIntake;
}

export type CommandResult =
  /** A job was taken on and shows its own cards from here on. */
  | { readonly kind: 'job'; readonly jobId: string }
  /** All there is to say. */
  | { readonly kind: 'reply'; readonly reply: MessageBody };

/** One use of a command, checked. */
export interface CommandCall {
  /** Who asked, where and when, as a job request needs it. */
  readonly origin: Omit<JobRequest, 'capability' | 'inputs'>;
  /** The attached files by option name. */
  readonly attachments: ReadonlyMap<string, AttachedFile>;
}

export interface AttachedFile {
  readonly url: string;
  readonly sizeBytes: number;
  /** What Discord claims, from the file's name. */
  readonly contentType: string | null;
}

/** Works in servers only, and only where the bot itself was added. */
export const IN_SERVERS_ONLY: Pick<CommandData, 'contexts' | 'integration_types'> = {
  contexts: [InteractionContextType.Guild],
  integration_types: [ApplicationIntegrationType.GuildInstall],
};

/** A required file of one kind. Discord checks only the extension of the name. */
export function attachmentOption(
  name: string,
  description: string,
  kind: 'image' | 'audio' | 'video',
): APIApplicationCommandAttachmentOption {
  return {
    type: ApplicationCommandOptionType.Attachment,
    name,
    description,
    required: true,
    file_types: [kind],
  };
}
