import { ComponentType, type ModalData, type ModalSubmitInteraction } from 'discord.js';
import { z } from 'zod';
import type { AttachedFile, FormCall } from '../command.ts';
import type { Action } from '../words/replies/custom-id.ts';
import { parseAttachedFile, parsePart, parseTargetMessage } from './interaction-parts.ts';
import { parseOrigin } from './parse-origin.ts';

const text = z.string().max(4_000);
const chosen = z.array(z.string().max(100)).max(25);

/** Parses one submitted form. Throws `DiscordError`: `wrong_place` outside servers, or `malformed`. */
export function parseFormCall(
  interaction: ModalSubmitInteraction,
  { args }: Action,
  receivedAtMs: number,
): FormCall {
  const { message } = interaction;
  return {
    origin: parseOrigin(interaction, receivedAtMs),
    args,
    ...filledIn([...interaction.fields.fields.values()]),
    message: message === null ? null : parseTargetMessage(message),
  };
}

type FilledIn = Pick<FormCall, 'texts' | 'choices' | 'attachments'>;

function filledIn(fields: readonly ModalData[]): FilledIn {
  const texts = new Map<string, string>();
  const choices = new Map<string, readonly string[]>();
  const attachments = new Map<string, AttachedFile>();
  for (const field of fields) {
    if (field.type === ComponentType.FileUpload) {
      // If the field has no file, Discord sends no resolved data for it, and discord.js omits the collection.
      const file = 'attachments' in field ? field.attachments.first() : undefined;
      if (file) attachments.set(field.customId, parseAttachedFile(file));
    } else if ('values' in field) {
      choices.set(field.customId, parsePart(chosen, field.values));
    } else if (typeof field.value === 'string') {
      texts.set(field.customId, parsePart(text, field.value));
    }
  }
  return { texts, choices, attachments };
}
