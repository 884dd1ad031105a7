import { z } from 'zod';
import { COMMAND_TYPES, OPTION_TYPES } from './command-types.ts';

type Localizations = Partial<Record<string, string>> | null | undefined;

/** A command option. Its properties depend on `type`. */
export interface CommandOption {
  readonly type: number;
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly description: string;
  readonly description_localizations?: Localizations;
  readonly required?: boolean | null | undefined;
  readonly autocomplete?: boolean | null | undefined;
  readonly choices?:
    | readonly {
        readonly name: string;
        readonly value: string | number;
        readonly name_localizations?: Localizations;
      }[]
    | null
    | undefined;
  readonly min_value?: number | null | undefined;
  readonly max_value?: number | null | undefined;
  readonly min_length?: number | null | undefined;
  readonly max_length?: number | null | undefined;
  readonly channel_types?: readonly number[] | null | undefined;
  readonly file_types?: readonly string[] | null | undefined;
  readonly options?: readonly CommandOption[] | null | undefined;
}

/** A command as a client sends it. */
export interface CommandBody {
  readonly id?: string | null | undefined;
  readonly type?: number | null | undefined;
  readonly name: string;
  readonly name_localizations?: Localizations;
  readonly description?: string | null | undefined;
  readonly description_localizations?: Localizations;
  readonly options?: readonly CommandOption[] | null | undefined;
  readonly default_member_permissions?: string | null | undefined;
  readonly dm_permission?: boolean | null | undefined;
  readonly contexts?: readonly number[] | null | undefined;
  readonly integration_types?: readonly number[] | null | undefined;
  readonly nsfw?: boolean | null | undefined;
}

const CHAT_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const LOCALES = [
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr',
  'cs el bg ru uk hi th zh-CN ja zh-TW ko',
]
  .join(' ')
  .split(' ') as [string, ...string[]];

const chatName = z
  .string()
  .min(1)
  .max(32)
  .refine((name) => CHAT_NAME.test(name) && name === name.toLowerCase(), {
    message: 'Command name is invalid',
    params: { code: 'APPLICATION_COMMAND_INVALID_NAME' },
  });
const description = z.string().min(1).max(100);
const localized = (text: z.ZodType<string>): z.ZodType<Localizations> =>
  z.partialRecord(z.enum(LOCALES), text).nullish();

const choice = (value: z.ZodType<string | number>) =>
  z.strictObject({
    name: z.string().min(1).max(100),
    name_localizations: localized(z.string().min(1).max(100)),
    value,
  });

const base = {
  name: chatName,
  name_localizations: localized(chatName),
  description,
  description_localizations: localized(description),
  required: z.boolean().nullish(),
};
const textOption = z.strictObject({
  ...base,
  type: z.literal(OPTION_TYPES.string),
  autocomplete: z.boolean().nullish(),
  min_length: z.int().min(0).max(6000).nullish(),
  max_length: z.int().min(1).max(6000).nullish(),
  choices: z
    .array(choice(z.string().max(100)))
    .max(25)
    .nullish(),
});
const numberOption = z.strictObject({
  ...base,
  type: z.literal([OPTION_TYPES.integer, OPTION_TYPES.number]),
  autocomplete: z.boolean().nullish(),
  min_value: z.number().nullish(),
  max_value: z.number().nullish(),
  choices: z.array(choice(z.number())).max(25).nullish(),
});
const channelOption = z.strictObject({
  ...base,
  type: z.literal(OPTION_TYPES.channel),
  channel_types: z.array(z.int()).nullish(),
});
const attachmentOption = z.strictObject({
  ...base,
  type: z.literal(OPTION_TYPES.attachment),
  file_types: z
    .array(z.string().regex(/^(audio|image|video|\.[A-Za-z0-9]{1,20})$/))
    .max(100)
    .nullish(),
});
const plainOption = z.strictObject({
  ...base,
  type: z.literal([OPTION_TYPES.boolean, OPTION_TYPES.user, OPTION_TYPES.role, OPTION_TYPES.mentionable]),
});
const valueOption = z.discriminatedUnion('type', [
  textOption,
  numberOption,
  channelOption,
  attachmentOption,
  plainOption,
]);

const options = <T extends z.ZodType<{ name: string; required?: boolean | null | undefined }>>(option: T) =>
  z
    .array(option)
    .max(25)
    .superRefine((list, context) => {
      if (new Set(list.map((entry) => entry.name)).size < list.length) {
        context.addIssue({
          code: 'custom',
          message: 'Option names must be unique',
          params: { code: 'APPLICATION_COMMAND_OPTIONS_NAME_DUPLICATED' },
        });
      }
      const firstOptional = list.findIndex((entry) => !entry.required);
      if (firstOptional >= 0 && list.slice(firstOptional).some((entry) => entry.required)) {
        context.addIssue({
          code: 'custom',
          message: 'Required options must be placed before non-required options',
          params: { code: 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID' },
        });
      }
    })
    .nullish();

const subcommand = z.strictObject({
  ...base,
  type: z.literal(OPTION_TYPES.subcommand),
  options: options(valueOption),
});
const group = z.strictObject({
  ...base,
  type: z.literal(OPTION_TYPES.group),
  options: z.array(subcommand).max(25).nullish(),
});
const anyOption = z.discriminatedUnion('type', [
  textOption,
  numberOption,
  channelOption,
  attachmentOption,
  plainOption,
  subcommand,
  group,
]);

const shared = {
  id: z.string().nullish(),
  default_member_permissions: z
    .union([z.string().regex(/^\d{1,20}$/), z.int().min(0).transform(String)])
    .nullish(),
  dm_permission: z.boolean().nullish(),
  contexts: z
    .array(z.literal([0, 1, 2]))
    .min(1)
    .nullish(),
  integration_types: z
    .array(z.literal([0, 1]))
    .min(1)
    .nullish(),
  nsfw: z.boolean().nullish(),
};
const chatCommand = z.strictObject({
  ...shared,
  type: z.literal(COMMAND_TYPES.chat).nullish(),
  name: chatName,
  name_localizations: localized(chatName),
  description,
  description_localizations: localized(description),
  options: options(anyOption),
});
const menuName = z.string().min(1).max(32);
const menuCommand = z.strictObject({
  ...shared,
  type: z.literal([COMMAND_TYPES.user, COMMAND_TYPES.message]),
  name: menuName,
  name_localizations: localized(menuName),
  description: z.literal('').nullish(),
  description_localizations: z.null().optional(),
  options: z.array(z.never()).max(0).nullish(),
});

/**
 * Discord's documented limits for a command definition, including the rule that chat commands have lower-case names.
 */
export const commandBody: z.ZodType<CommandBody> = z
  .union([chatCommand, menuCommand])
  .superRefine((command, context) => {
    if (definitionLength(command) > 8000) {
      context.addIssue({
        code: 'custom',
        message: 'Command exceeds maximum size (8000)',
        params: { code: 'APPLICATION_COMMAND_TOO_LARGE' },
      });
    }
  });

/**
 * Returns the number of characters that count towards the limit of 8,000: names, descriptions and values, each in its
 * longest translation.
 */
function definitionLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + definitionLength(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const entries = new Map<string, unknown>(Object.entries(value));
  const given = entries.get('value');
  let sum = typeof given === 'string' || typeof given === 'number' ? String(given).length : 0;
  for (const key of ['name', 'description']) {
    const translated: unknown = entries.get(`${key}_localizations`) ?? {};
    const texts = [entries.get(key) ?? '', ...Object.values(translated as object)];
    sum += Math.max(...texts.map((text) => String(text).length));
  }
  return sum + definitionLength(entries.get('options')) + definitionLength(entries.get('choices'));
}
