import { type Client, GatewayIntentBits, type PermissionsString } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { createClient } from '../../../../src/bot/discord/wire/create-client.ts';
import { DiscordVoiceConnector } from '../../../../src/bot/discord/voice/discord-voice-connector.ts';
import type { PermissionName } from '../../../../src/sandbox/chat/permissions.ts';
import { VoiceError } from '../../../../src/bot/sessions/voice-swap/voice-error.ts';
import { useClient } from '../../../sandbox/use-client.ts';
import { useSandbox } from '../../../helpers/use-sandbox.ts';
import { useOwnClient } from '../use-bot.ts';
import { eventsOf, packetsOf, toneFrames, useVoiceClub } from './use-connector.ts';

/** Returns the error with which joining failed. */
async function refusal(joining: Promise<unknown>): Promise<VoiceError> {
  const error: unknown = await joining.then(
    () => new Error('It joined'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof VoiceError)) throw error;
  return error;
}

/** Returns whether, according to the client's cache, the bot has a permission in a channel. */
function mayThere(client: Client<true>, channelId: string, name: PermissionsString): boolean | undefined {
  const channel = client.channels.cache.get(channelId);
  if (!channel || channel.isDMBased()) return undefined;
  return channel.permissionsFor(client.user)?.has(name);
}

describe('joining a voice channel', () => {
  test.each<[PermissionName, string]>([
    ['VIEW_CHANNEL', '**View Channel**'],
    ['CONNECT', '**Connect**'],
    ['SPEAK', '**Speak**'],
  ])('fails without %s, and the error names it', async (permission, named) => {
    const { lounge, connector, place, client } = await useVoiceClub();
    lounge.forbids('bot', permission);
    const name = permission === 'VIEW_CHANNEL' ? 'ViewChannel' : permission === 'SPEAK' ? 'Speak' : 'Connect';
    await expect.poll(() => mayThere(client, lounge.id, name)).toBe(false);

    const error = await refusal(connector.join(place));

    expect(error).toMatchObject({ code: 'forbidden', userMessage: expect.stringContaining(named) });
    expect(lounge.voice.states).toEqual([]);
  });

  test('fails where the channel is full, unless the bot may join nevertheless', async () => {
    const { guild, ada, connector, client } = await useVoiceClub();
    const booth = guild.addVoiceChannel('Booth', { userLimit: 1 });
    const place = { guildId: guild.id, channelId: booth.id };
    ada.voice.joins(booth);
    await expect.poll(() => client.guilds.cache.get(guild.id)?.voiceStates.cache.size).toBe(1);

    const error = await refusal(connector.join(place));
    booth.permits('bot', 'MOVE_MEMBERS');
    await expect.poll(() => mayThere(client, booth.id, 'MoveMembers')).toBe(true);
    await using endpoint = await connector.join(place);

    expect(error).toMatchObject({ code: 'full', userMessage: expect.stringContaining('**Move Members**') });
    expect(endpoint.members).toHaveLength(1);
  });

  test.each([
    ['muted', 'mutes'],
    ['deafened', 'deafens'],
  ] as const)('fails while a moderator has the bot %s', async (named, does) => {
    const { guild, lounge, connector, place, bot } = await useVoiceClub();
    guild.voice[does](bot);

    const error = await refusal(connector.join(place));

    expect(error).toMatchObject({ code: 'forbidden', userMessage: expect.stringContaining(named) });
    await expect.poll(() => lounge.voice.states).toEqual([]);
    guild.voice[does](bot, false);
    await using endpoint = await connector.join(place);
    expect(endpoint.members).toEqual([]);
  });

  test("fails with a host's client that receives no voice events", async () => {
    const sandbox = await useSandbox();
    const guild = sandbox.addGuild('Film club');
    const lounge = guild.addVoiceChannel('Lounge');
    const client = await useClient(sandbox, { intents: [GatewayIntentBits.Guilds] });
    await using connector = new DiscordVoiceConnector({ client, clock: systemClock, log: silentLogger });

    const error = await refusal(connector.join({ guildId: guild.id, channelId: lounge.id }));

    expect(error).toMatchObject({
      code: 'unreachable',
      userMessage: expect.stringContaining('GuildVoiceStates'),
    });
  });

  test('fails in a text channel and in a deleted channel', async () => {
    const { guild, connector, client } = await useVoiceClub();
    const general = guild.addTextChannel('general');
    await expect.poll(() => client.channels.cache.has(general.id)).toBe(true);

    const gone = { code: 'gone', userMessage: expect.stringContaining('does not exist') };
    for (const channelId of [general.id, '1234']) {
      expect(await refusal(connector.join({ guildId: guild.id, channelId }))).toMatchObject(gone);
    }
    expect(await refusal(connector.join({ guildId: '5', channelId: '6' }))).toMatchObject(gone);
  });

  test('fails while the bot is in another channel of the guild or joining one', async () => {
    const { guild, connector, place } = await useVoiceClub();
    const attic = guild.addVoiceChannel('Attic');

    const joining = connector.join(place);
    const other = { guildId: guild.id, channelId: attic.id };
    expect(await refusal(connector.join(other))).toMatchObject({ code: 'busy' });
    await using endpoint = await joining;
    expect(await refusal(connector.join(other))).toMatchObject({ code: 'busy' });

    expect(eventsOf(endpoint)).toEqual([]);
  });

  test("does not touch a host's own connection", async () => {
    const { guild, connector, client, place } = await useVoiceClub();
    const ofHost = client.guilds.cache.get(guild.id)?.voiceAdapterCreator({
      onVoiceServerUpdate: () => undefined,
      onVoiceStateUpdate: () => undefined,
      destroy: () => undefined,
    });

    expect(await refusal(connector.join(place))).toMatchObject({ code: 'busy' });
    ofHost?.destroy();
    await using endpoint = await connector.join(place);

    expect(endpoint.guildId).toBe(guild.id);
  });

  test("succeeds when the packet that asks for the bot's own address is lost twice", async () => {
    const { sandbox, connector, place } = await useVoiceClub();
    sandbox.faults.dropIpDiscovery(2);

    await using endpoint = await connector.join(place);

    expect(endpoint.counts.rejoins).toBe(0);
  });

  test('fails when the voice server does not answer, and leaves the channel', async () => {
    const { sandbox, lounge, connector, place } = await useVoiceClub({ joinTimeoutMs: 700 });
    sandbox.faults.dropIpDiscovery(100);

    const error = await refusal(connector.join(place));

    expect(error).toMatchObject({
      code: 'unreachable',
      userMessage: expect.stringContaining('did not answer'),
    });
    await expect.poll(() => lounge.voice.states).toEqual([]);
  });

  test('stops when the caller aborts', async () => {
    const { sandbox, lounge, connector, place } = await useVoiceClub();
    sandbox.faults.dropIpDiscovery(100);
    const caller = new AbortController();
    const joining = connector.join(place, caller.signal);
    await expect.poll(() => lounge.voice.states.length).toBe(1);

    caller.abort(new Error('Never mind'));

    await expect(joining).rejects.toThrow('Never mind');
    await expect.poll(() => lounge.voice.states).toEqual([]);
  });

  test('survives a malicious voice server', async () => {
    const sandbox = await useSandbox();
    const guild = sandbox.addGuild('Film club');
    const lounge = guild.addVoiceChannel('Lounge');
    const { client } = await useOwnClient(sandbox);
    const parts = { client, clock: systemClock, log: silentLogger, joinTimeoutMs: 1_500 };
    await using connector = new DiscordVoiceConnector(parts);

    const error = await refusal(connector.join({ guildId: guild.id, channelId: lounge.id }));

    expect(error.code).toBe('unreachable');
  });

  test('works for two bots in one process, each in its own channel of one guild', async () => {
    const { sandbox, guild, lounge, ada, connector, place } = await useVoiceClub();
    const stage = guild.addVoiceChannel('Attic');
    const { token } = sandbox.addApplication('Mouth');
    const { apiUrl, cdnHost } = sandbox;
    const options = { token, apiUrl, cdnUrl: `http://${cdnHost}`, clock: systemClock, log: silentLogger };
    await using own = createClient(options);
    const client = await own.login();
    await using mouth = new DiscordVoiceConnector({ client, clock: systemClock, log: silentLogger });
    await using listening = await connector.join(place);
    await using speaking = await mouth.join({ guildId: guild.id, channelId: stage.id });
    ada.voice.joins(stage);
    await expect.poll(() => speaking.members.length).toBe(1);
    const [frame = new Uint8Array()] = await toneFrames(1);

    await expect.poll(() => speaking.speak(frame)).toBe(true);
    await expect.poll(() => ada.voice.packetsOf({ id: mouth.userId }, stage).length).toBeGreaterThan(0);

    expect(mouth.userId).not.toBe(connector.userId);
    expect(listening.members).toEqual([]);
    expect(lounge.voice.states).toHaveLength(1);
  });

  test('marks bots as bots', async () => {
    const { sandbox, lounge, connector, place } = await useVoiceClub();
    await using endpoint = await connector.join(place);
    const { token } = sandbox.addApplication('Mouth');
    const options = { token, apiUrl: sandbox.apiUrl, clock: systemClock, log: silentLogger };
    await using own = createClient(options);
    const client = await own.login();
    await using mouth = new DiscordVoiceConnector({ client, clock: systemClock, log: silentLogger });
    await using other = await mouth.join({ guildId: place.guildId, channelId: lounge.id });

    await expect
      .poll(() => endpoint.members)
      .toEqual([{ userId: mouth.userId, isBot: true, isSilenced: false }]);
    expect(other.members).toMatchObject([{ userId: connector.userId, isBot: true }]);
  });
});

describe('joining a stage', () => {
  test('becomes a speaker where the bot may, and is heard', async () => {
    const { guild, ada, connector, bot, client } = await useVoiceClub();
    const stage = guild.addStageChannel('Stage');
    stage.permits('bot', 'MUTE_MEMBERS');
    await expect.poll(() => mayThere(client, stage.id, 'MuteMembers')).toBe(true);
    ada.voice.joins(stage);
    await using endpoint = await connector.join({ guildId: guild.id, channelId: stage.id });
    const [frame = new Uint8Array()] = await toneFrames(1);
    endpoint.speak(frame);

    await expect.poll(() => ada.voice.packetsOf(bot, stage).length).toBe(1);
    expect(endpoint.members).toEqual([{ userId: ada.id, isBot: false, isSilenced: true }]);
    expect(packetsOf(endpoint, ada)).toEqual([]);
  });

  test('requests to speak where the bot may only do that', async () => {
    const { guild, connector, bot, client } = await useVoiceClub();
    const stage = guild.addStageChannel('Stage');
    stage.permits('bot', 'REQUEST_TO_SPEAK');
    await expect.poll(() => mayThere(client, stage.id, 'RequestToSpeak')).toBe(true);
    await using endpoint = await connector.join({ guildId: guild.id, channelId: stage.id });

    const own = stage.voice.states.find(({ member }) => member.user.id === bot.id);
    expect(own).toMatchObject({ isSuppressed: true, requestedToSpeakAtMs: expect.any(Number) });
    expect(endpoint.members).toEqual([]);
  });

  test('fails where the bot may do neither', async () => {
    const { guild, connector, client } = await useVoiceClub();
    const stage = guild.addStageChannel('Stage');
    stage.forbids('bot', 'REQUEST_TO_SPEAK', 'MUTE_MEMBERS');
    await expect.poll(() => mayThere(client, stage.id, 'RequestToSpeak')).toBe(false);

    const error = await refusal(connector.join({ guildId: guild.id, channelId: stage.id }));

    expect(error.userMessage).toContain('**Request to Speak**');
  });
});
