import {
  ApplicationCommandOptionType,
  type AutocompleteInteraction,
  type ChatInputCommandInteraction,
  type CommandInteractionOption,
} from 'discord.js';
import { z } from 'zod';
import type { AttachedFile, CommandCall, CompletionCall } from '../command.ts';
import { parseAttachedFile, parsePart } from './interaction-parts.ts';
import { parseOrigin } from './parse-origin.ts';

const OPTION_TEXT_LENGTH_MAX = 6_000;

const optionText = z.string().max(OPTION_TEXT_LENGTH_MAX);
const focusedOption = z.object({ name: z.string(), value: optionText });

/** Parses one use of a slash command. Throws `DiscordError`: `wrong_place` outside servers, or `malformed`. */
export function parseCommandCall(
  interaction: ChatInputCommandInteraction,
  receivedAtMs: number,
): CommandCall {
  const { subcommand, options } = unwrap(interaction.options.data);
  const attachments = new Map<string, AttachedFile>();
  for (const { name, attachment } of options) {
    if (attachment) attachments.set(name, parseAttachedFile(attachment));
  }
  return { origin: parseOrigin(interaction, receivedAtMs), subcommand, attachments, ...valuesOf(options) };
}

/** Parses a request for suggestions. Throws the same errors as `parseCommandCall`. */
export function parseCompletionCall(
  interaction: AutocompleteInteraction,
  receivedAtMs: number,
): CompletionCall {
  const { subcommand, options } = unwrap(interaction.options.data);
  const { name, value } = parsePart(focusedOption, interaction.options.getFocused(true));
  return {
    origin: parseOrigin(interaction, receivedAtMs),
    subcommand,
    ...valuesOf(options.filter((option) => option.focused !== true)),
    option: name,
    typed: value,
  };
}

interface Unwrapped {
  readonly subcommand: string | null;
  readonly options: readonly CommandInteractionOption[];
}

/** Returns the options without the subcommand group and subcommand around them. */
function unwrap(data: readonly CommandInteractionOption[]): Unwrapped {
  const path: string[] = [];
  let options = data;
  for (let first = options[0]; first && isFolder(first); first = options[0]) {
    path.push(first.name);
    options = first.options ?? [];
  }
  return { subcommand: path.length === 0 ? null : path.join(' '), options };
}

function isFolder({ type }: CommandInteractionOption): boolean {
  return (
    type === ApplicationCommandOptionType.Subcommand || type === ApplicationCommandOptionType.SubcommandGroup
  );
}

function valuesOf(
  options: readonly CommandInteractionOption[],
): Pick<CommandCall, 'texts' | 'numbers' | 'flags'> {
  const texts = new Map<string, string>();
  const numbers = new Map<string, number>();
  const flags = new Map<string, boolean>();
  for (const { name, type, value } of options) {
    if (type === ApplicationCommandOptionType.Attachment) continue;
    if (typeof value === 'string') texts.set(name, parsePart(optionText, value));
    else if (typeof value === 'number') numbers.set(name, parsePart(z.number(), value));
    else if (typeof value === 'boolean') flags.set(name, value);
  }
  return { texts, numbers, flags };
}
