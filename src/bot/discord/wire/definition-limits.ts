import { ApplicationCommandType } from 'discord.js';
import { z } from 'zod';
import type { AnyCommandData } from '../command.ts';
import { DiscordError } from './discord-error.ts';

/**
 * The number of commands of each kind that an application may have, globally or in one server. Commands that other
 * programs registered for the application also count.
 */
const COUNT_MAX: Readonly<Record<number, { readonly kind: string; readonly max: number }>> = {
  [ApplicationCommandType.ChatInput]: { kind: 'slash commands', max: 100 },
  [ApplicationCommandType.User]: { kind: 'entries of the user menu', max: 15 },
  [ApplicationCommandType.Message]: { kind: 'entries of the message menu', max: 15 },
};
const CHARACTERS_MAX = 8_000;

const chatName = z
  .string()
  .regex(/^[-_'\p{L}\p{N}\p{Script=Devanagari}\p{Script=Thai}]{1,32}$/u, '1 to 32 letters, digits, - or _')
  .refine((name) => name === name.toLowerCase(), 'must be lower-case');
const description = z.string().min(1).max(100);
const choice = z.looseObject({
  name: z.string().min(1).max(100),
  value: z.union([z.string().max(100), z.number()]),
});
const translated = (text: z.ZodType<string>): z.ZodType => z.record(z.string(), text.nullable()).nullish();

const named = {
  name: chatName,
  name_localizations: translated(chatName),
  description,
  description_localizations: translated(description),
};
const option = z.looseObject({
  ...named,
  required: z.boolean().optional(),
  choices: z.array(choice).max(25).optional(),
  get options() {
    return options.optional();
  },
});
const options: z.ZodType = z
  .array(option)
  .max(25)
  .refine((list) => new Set(list.map(({ name }) => name)).size === list.length, 'one name twice')
  .refine((list) => !list.some(({ required }, at) => required && !list[at - 1]?.required && at > 0), {
    message: 'a required option after an optional one',
  });

const chatCommand = z.looseObject({ ...named, options: options.optional() });
const menuName = z.string().min(1).max(32);
const menuCommand = z.looseObject({ name: menuName, name_localizations: translated(menuName) });

/**
 * Checks definitions against Discord's limits before anything is sent, because Discord's refusals name neither the
 * command nor the limit. Throws a one-line `TypeError` that names both.
 */
export function checkDefinitions(definitions: readonly AnyCommandData[]): void {
  for (const definition of definitions) checkDefinition(definition);
}

/**
 * Checks the number of definitions of each kind, together with the existing commands in `others`. Throws
 * `DiscordError`.
 */
export function checkCounts(
  definitions: readonly AnyCommandData[],
  others: readonly { readonly type: number }[],
): void {
  for (const [key, { kind, max }] of Object.entries(COUNT_MAX)) {
    const type = Number(key);
    const own = definitions.filter((definition) => typeOf(definition) === type).length;
    const count = own + others.filter((other) => other.type === type).length;
    if (own > 0 && count > max) {
      const why = `${count} ${kind} (${count - own} of them not ours), and Discord accepts ${max}`;
      throw new DiscordError('refused', `Cannot register commands: there would be ${why}`);
    }
  }
}

/** Returns Discord's number for the kind of a definition. */
export function typeOf({ type }: AnyCommandData): number {
  return type ?? ApplicationCommandType.ChatInput;
}

function checkDefinition(definition: AnyCommandData): void {
  const { User, Message } = ApplicationCommandType;
  const isMenu = definition.type === User || definition.type === Message;
  const schema = isMenu ? menuCommand : chatCommand;
  const [issue] = schema.safeParse(definition).error?.issues ?? [];
  if (issue) {
    const where = issue.path.join('.');
    throw new TypeError(`Cannot register "${definition.name}": its "${where}" is wrong (${issue.message})`);
  }
  const characters = charactersOf(definition);
  if (characters > CHARACTERS_MAX) {
    throw new TypeError(
      `Cannot register "${definition.name}": it has ${characters} characters, and Discord accepts ${CHARACTERS_MAX}`,
    );
  }
}

/**
 * Counts the characters of names, descriptions and values in a command and everything inside it; for a localised field,
 * only the longest version counts.
 */
function charactersOf(node: object): number {
  const fields = new Map<string, unknown>(Object.entries(node));
  const longest = (key: string): number => {
    const texts = [fields.get(key), ...Object.values(fields.get(`${key}_localizations`) ?? {})];
    return Math.max(...texts.map((text) => (typeof text === 'string' ? text.length : 0)));
  };
  const value = fields.get('value');
  const valueLength = typeof value === 'string' || typeof value === 'number' ? String(value).length : 0;
  const own = longest('name') + longest('description') + valueLength;
  const inner = [fields.get('options') ?? [], fields.get('choices') ?? []].flat();
  return inner.reduce<number>(
    (sum, child) => sum + (typeof child === 'object' && child !== null ? charactersOf(child) : 0),
    own,
  );
}
