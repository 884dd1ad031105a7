import type { AnySelectMenuInteraction, ButtonInteraction } from 'discord.js';
import { z } from 'zod';
import type { ComponentCall } from '../command.ts';
import type { Action } from '../words/replies/custom-id.ts';
import { parsePart, parseTargetMessage } from './interaction-parts.ts';
import { parseOrigin } from './parse-origin.ts';

export type ComponentInteraction = ButtonInteraction | AnySelectMenuInteraction;

const values = z.array(z.string().max(100)).max(25);

/** Parses one use of a button or select menu. Throws `DiscordError`: `wrong_place` outside servers, or `malformed`. */
export function parseComponentCall(
  interaction: ComponentInteraction,
  { args }: Action,
  receivedAtMs: number,
): ComponentCall {
  return {
    origin: parseOrigin(interaction, receivedAtMs),
    args,
    values: interaction.isAnySelectMenu() ? parsePart(values, interaction.values) : [],
    message: parseTargetMessage(interaction.message),
  };
}
