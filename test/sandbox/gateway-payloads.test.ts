import type {
  APIGuild,
  APIChatInputApplicationCommandInteraction,
  GatewayGuildCreateDispatchData,
  GatewayMessageCreateDispatchData,
  GatewayReadyDispatchData,
} from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { DescriptionCheck, hasDescription } from './openapi.ts';
import { identify, useGateway } from './use-gateway.ts';
import { useCommand } from './use-command.ts';

type Required<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];
/** Every property that the published type `T` requires. The compiler keeps the list complete. */
type Checklist<T> = Readonly<Record<Required<T> & string, true>>;

const READY: Checklist<GatewayReadyDispatchData> = {
  v: true,
  user: true,
  guilds: true,
  session_id: true,
  resume_gateway_url: true,
  application: true,
};

type GuildOnly = Omit<GatewayGuildCreateDispatchData, keyof APIGuild>;
const GUILD_CREATE: Checklist<GuildOnly> = {
  joined_at: true,
  large: true,
  member_count: true,
  voice_states: true,
  members: true,
  channels: true,
  threads: true,
  presences: true,
  stage_instances: true,
  guild_scheduled_events: true,
  soundboard_sounds: true,
};

const INTERACTION: Checklist<APIChatInputApplicationCommandInteraction> = {
  id: true,
  application_id: true,
  type: true,
  data: true,
  channel: true,
  channel_id: true,
  token: true,
  version: true,
  app_permissions: true,
  locale: true,
  entitlements: true,
  authorizing_integration_owners: true,
  attachment_size_limit: true,
};

const MESSAGE: Checklist<GatewayMessageCreateDispatchData> = {
  id: true,
  channel_id: true,
  author: true,
  content: true,
  timestamp: true,
  edited_timestamp: true,
  tts: true,
  mention_everyone: true,
  mentions: true,
  mention_roles: true,
  attachments: true,
  embeds: true,
  pinned: true,
  type: true,
};

test('gateway events contain everything that the published types require', async () => {
  const sandbox = await useSandbox({ privilegedIntents: true });
  const { general, ada } = await useCommand(sandbox);
  const gateway = await useGateway(sandbox);
  gateway.send(identify(sandbox, { intents: (1 << 0) | (1 << 1) | (1 << 9) | (1 << 15) }));
  await expect.poll(() => gateway.frames.length).toBe(3);
  await ada.says('Hello', { in: general, files: [{ name: 'a.txt', bytes: new Uint8Array(1) }] });
  await ada.runs('/hello', { in: general });
  await expect.poll(() => gateway.frames.length).toBe(5);
  const data = new Map(gateway.frames.map((frame) => [frame.t, frame.d as Record<string, unknown>]));

  expect(Object.keys(data.get('READY') ?? {})).toEqual(expect.arrayContaining(Object.keys(READY)));
  expect(Object.keys(data.get('GUILD_CREATE') ?? {})).toEqual(
    expect.arrayContaining(Object.keys(GUILD_CREATE)),
  );
  expect(Object.keys(data.get('INTERACTION_CREATE') ?? {})).toEqual(
    expect.arrayContaining(Object.keys(INTERACTION)),
  );
  expect(Object.keys(data.get('MESSAGE_CREATE') ?? {})).toEqual(expect.arrayContaining(Object.keys(MESSAGE)));
  expect(gateway.frames.flatMap((frame) => frame.s ?? [])).toEqual([1, 2, 3, 4]);

  if (!hasDescription) return;
  const check = new DescriptionCheck();
  const guild = data.get('GUILD_CREATE') ?? {};
  const message = Object.entries(data.get('MESSAGE_CREATE') ?? {});
  const interaction = data.get('INTERACTION_CREATE') ?? {};
  const { permissions: _memberPermissions, ...member } = interaction['member'] as Record<string, unknown>;
  const guildOnly = new Set([...Object.keys(GUILD_CREATE), 'unavailable']);
  expect([
    ...check.compare('UserPIIResponse', data.get('READY')?.['user']),
    ...check.compare(
      'GuildResponse',
      Object.fromEntries(Object.entries(guild).filter(([key]) => !guildOnly.has(key))),
    ),
    ...(guild['channels'] as unknown[]).flatMap((channel) => check.compare('GuildChannelResponse', channel)),
    ...(guild['members'] as unknown[]).flatMap((entry) => check.compare('GuildMemberResponse', entry)),
    ...check.compare(
      'MessageResponse',
      Object.fromEntries(message.filter(([key]) => !['guild_id', 'member'].includes(key))),
    ),
    ...check.compare('GuildMemberResponse', member),
    ...check.compare('GuildChannelResponse', interaction['channel']),
  ]).toEqual([]);
});
