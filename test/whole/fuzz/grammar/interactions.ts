import { ApplicationCommandType } from 'discord.js';
import type { InteractionHandlers } from '../../../../src/bot/discord/interactions/interaction-router.ts';
import type { Random } from '../random.ts';

const USER = {
  id: '200000000000000001',
  username: 'ada',
  discriminator: '0',
  global_name: 'Ada',
  avatar: null,
};
const GUILD_ID = '300000000000000001';
const CHANNEL_ID = '400000000000000001';
const APPLICATION_ID = '500000000000000001';
const FILE_ID = '600000000000000001';
const MESSAGE_ID = '700000000000000001';
const TYPE = { command: 2, component: 3, autocomplete: 4, form: 5 } as const;
const OPTION = {
  subcommand: 1,
  group: 2,
  text: 3,
  integer: 4,
  flag: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  file: 11,
} as const;
const BUTTON = 2;
const MENU = 3;

let used = 0;

/** Creates an interaction for one of the bot's handlers. */
export function interaction(random: Random, handlers: Required<InteractionHandlers>): unknown {
  return random.pick([command, command, menu, component, component, form])(random, handlers);
}

function command(random: Random, { commands }: Required<InteractionHandlers>): unknown {
  const { data } = random.pick(commands);
  const isTyping = random.happens(20);
  const options = optionsOf(random, json(data).options ?? [], isTyping);
  return {
    ...frame(random, isTyping ? TYPE.autocomplete : TYPE.command),
    data: { id: '1', name: data.name, type: 1, options, resolved: resolved() },
  };
}

function menu(random: Random, { menus }: Required<InteractionHandlers>): unknown {
  const { data } = random.pick(menus);
  const target = data.type === ApplicationCommandType.Message ? MESSAGE_ID : USER.id;
  return {
    ...frame(random, TYPE.command),
    data: { id: '1', name: data.name, type: data.type, target_id: target, resolved: resolved() },
  };
}

function component(random: Random, { components }: Required<InteractionHandlers>): unknown {
  const { action } = random.pick(components);
  const isMenu = random.happens(40);
  const data = {
    custom_id: customId(random, action),
    component_type: isMenu ? MENU : BUTTON,
    ...(isMenu ? { values: [random.pick(['1', 'mouth', ''])] } : {}),
  };
  return { ...frame(random, TYPE.component), data, message: message() };
}

function form(random: Random, { forms }: Required<InteractionHandlers>): unknown {
  const { action } = random.pick(forms);
  const fields = Array.from({ length: random.int(0, 5) }, () => ({
    type: 18,
    component: random.pick([
      { type: 4, custom_id: 'text', value: 'hello' },
      { type: 3, custom_id: 'choice', values: ['a'] },
      { type: 19, custom_id: 'face', values: [FILE_ID] },
    ]),
  }));
  return {
    ...frame(random, TYPE.form),
    data: { custom_id: customId(random, action), components: fields, resolved: resolved() },
    ...(random.happens(50) ? { message: message() } : {}),
  };
}

function customId(random: Random, action: string): string {
  const args = Array.from({ length: random.int(0, 4) }, () =>
    random.pick(['job_1', 'pick_a', '0', '1', '-1', 'photo_swap', 'image', USER.id, '', '__proto__']),
  );
  return ['mq1', action, ...args].join(':');
}

/** Creates the fields that every interaction has. */
function frame(random: Random, type: number): Record<string, unknown> {
  used += 1;
  return {
    id: String(800000000000000000n + BigInt(used * 1_000 + random.int(0, 999))),
    application_id: APPLICATION_ID,
    type,
    version: 1,
    token: 'interaction-token',
    channel_id: CHANNEL_ID,
    channel: { id: CHANNEL_ID, type: 0, name: 'general', guild_id: GUILD_ID, permissions: '0' },
    guild_id: GUILD_ID,
    guild: { id: GUILD_ID, locale: 'en-US', features: [] },
    guild_locale: 'en-US',
    member: {
      user: USER,
      roles: [],
      joined_at: '2026-01-01T00:00:00Z',
      deaf: false,
      mute: false,
      flags: 0,
      permissions: random.pick(['0', '8', '32']),
    },
    app_permissions: '0',
    locale: 'en-US',
    entitlements: [],
    authorizing_integration_owners: { 0: GUILD_ID },
    context: 0,
    attachment_size_limit: 10_485_760,
  };
}

function message(): unknown {
  const attachment = resolved().attachments[FILE_ID];
  return {
    id: MESSAGE_ID,
    channel_id: CHANNEL_ID,
    author: USER,
    content: '',
    timestamp: '2026-01-01T00:00:00Z',
    type: 0,
    attachments: [attachment],
    embeds: [],
    mentions: [],
    mention_roles: [],
    components: [],
    flags: 0,
    pinned: false,
    tts: false,
  };
}

function resolved() {
  return {
    attachments: {
      [FILE_ID]: {
        id: FILE_ID,
        filename: 'a.png',
        size: 100,
        url: 'https://cdn.discordapp.com/a.png',
        proxy_url: 'https://media.discordapp.net/a.png',
        content_type: 'image/png',
      },
    },
    users: { [USER.id]: USER },
    members: { [USER.id]: { roles: [], joined_at: '2026-01-01T00:00:00Z', permissions: '0', flags: 0 } },
    messages: {},
  };
}

interface Option {
  readonly type: number;
  readonly name: string;
  readonly required?: boolean;
  readonly options?: readonly Option[];
  readonly choices?: readonly { readonly value: string | number }[];
}

function optionsOf(random: Random, offered: readonly Option[], isTyping: boolean): unknown[] {
  const folders = offered.filter(({ type }) => type === OPTION.subcommand || type === OPTION.group);
  if (folders.length > 0) {
    const { type, name, options = [] } = random.pick(folders);
    return [{ type, name, options: optionsOf(random, options, isTyping) }];
  }
  const given = offered.filter(({ required }) => required === true || random.happens(50));
  return given.map((option, index) => ({
    type: option.type,
    name: option.name,
    value: valueOf(random, option),
    ...(isTyping && index === 0 ? { focused: true } : {}),
  }));
}

function valueOf(random: Random, { type, choices = [] }: Option): unknown {
  if (choices.length > 0 && random.happens(90)) return random.pick(choices).value;
  switch (type) {
    case OPTION.text:
      return random.pick(['hello', '$5', '1.50', 'Europe/Paris', 'x'.repeat(6_000), '\u202e', '1,5', 'en']);
    case OPTION.integer:
    case OPTION.number:
      return random.pick([0, 1, -1, 5, 1e9, 0.5]);
    case OPTION.flag:
      return random.happens(50);
    case OPTION.file:
      return FILE_ID;
    default:
      return USER.id;
  }
}

/** Returns a command's definition as it is registered with Discord. */
function json(data: unknown): { readonly options?: readonly Option[] } {
  return JSON.parse(JSON.stringify(data)) as { readonly options?: readonly Option[] };
}
