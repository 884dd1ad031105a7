import { VoiceConnectionStatus, entersState } from '@discordjs/voice';
import { Events, GatewayIntentBits, type StageChannel, type VoiceState } from 'discord.js';
import { expect, test } from 'vitest';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { discordCode } from './use-command.ts';
import { newClient } from './use-client.ts';
import { join, startJoin, tone, useVoiceScene } from './use-voice.ts';

test('a bot learns who is in which voice channel: at first and at every change', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada, ben, client } = await useVoiceScene(sandbox);
  const seen: [string, string | null, boolean | null][] = [];
  client.on(Events.VoiceStateUpdate, (_before, after: VoiceState) =>
    seen.push([after.id, after.channelId, after.selfMute]),
  );
  ada.voice.joins(lounge);
  ada.voice.mutes();
  const quiet = guild.addVoiceChannel('Quiet');
  ada.voice.joins(quiet, { selfMute: true });
  ada.voice.leaves();
  ben.voice.joins(quiet, { selfDeaf: true });
  await expect.poll(() => seen.length).toBe(5);
  const late = newClient(sandbox, {
    intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates],
  });
  await late.login(sandbox.token);
  await expect.poll(() => late.isReady()).toBe(true);

  expect(seen).toEqual([
    [ada.id, lounge.id, false],
    [ada.id, lounge.id, true],
    [ada.id, quiet.id, true],
    [ada.id, null, true],
    [ben.id, quiet.id, false],
  ]);
  const states = late.guilds.cache.get(guild.id)?.voiceStates.cache;
  expect(states?.map((state) => [state.id, state.channelId, state.selfDeaf])).toEqual([
    [ben.id, quiet.id, true],
  ]);
});

test('a full channel does not answer, and neither does one that the bot may not enter', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada, ben, client, bot } = await useVoiceScene(sandbox);
  lounge.entity.userLimit = 1;
  ada.voice.joins(lounge);
  expect(() => ben.voice.joins(lounge)).toThrow('full');
  const full = startJoin(client, lounge);
  const secret = guild.addVoiceChannel('Secret');
  secret.forbids('bot', 'CONNECT');
  full.rejoin({ channelId: secret.id, selfDeaf: false, selfMute: false });
  await expect.poll(() => sandbox.takeViolations()).toMatchObject([{ kind: 'forbidden' }]);

  expect(full.state.status).toBe(VoiceConnectionStatus.Signalling);
  expect(lounge.voice.states.map((state) => state.member.user.id)).toEqual([ada.id]);
  guild.botRole.may('VIEW_CHANNEL', 'CONNECT', 'SPEAK', 'MOVE_MEMBERS');
  full.rejoin({ channelId: lounge.id, selfDeaf: false, selfMute: false });
  await entersState(full, VoiceConnectionStatus.Ready, 5000);
  expect(lounge.voice.connectedIds).toEqual([ada.id, bot.id]);
});

test('nobody hears a member whom the server muted, and a member whom it deafened hears nobody', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada, ben } = await useVoiceScene(sandbox);
  const cleo = guild.addMember('Cleo');
  for (const member of [ada, ben, cleo]) member.voice.joins(lounge);
  guild.voice.mutes(ada);
  guild.voice.deafens(cleo);
  await Promise.all([ada.voice.speaks(tone(300, 40)), ben.voice.speaks(tone(300, 40))]);

  expect(lounge.voice.packetsOf(ada)).toHaveLength(0);
  expect(ada.voice.packetsOf(ben, lounge)).toHaveLength(7);
  expect(cleo.voice.packetsOf(ben, lounge)).toHaveLength(0);
});

test('a member who loses the permission to speak is suppressed at once, until it is restored', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben, client } = await useVoiceScene(sandbox);
  const seen: (boolean | null)[] = [];
  client.on(Events.VoiceStateUpdate, (_before, { suppress }) => seen.push(suppress));
  ada.voice.joins(lounge);
  lounge.forbids(ada, 'SPEAK');
  await ada.voice.speaks({ frames: [] });
  lounge.permits(ada, 'SPEAK');
  lounge.forbids('everyone', 'SPEAK');
  await ada.voice.speaks({ frames: [] });
  ben.voice.joins(lounge);
  await expect.poll(() => seen).toEqual([false, true, false, true]);
  expect(lounge.voice.packetsOf(ada)).toHaveLength(5);
});

test('a deafened bot receives nothing until it listens again', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, client } = await useVoiceScene(sandbox);
  ada.voice.joins(lounge);
  const connection = await join(client, lounge, { selfDeaf: true });
  await ada.voice.speaks(tone(300, 40));
  expect(connection.receiver.ssrcMap.get(ada.id)).toBeUndefined();

  connection.rejoin({ channelId: lounge.id, selfDeaf: false, selfMute: false });
  await expect.poll(() => lounge.voice.states.every((state) => !state.selfDeaf)).toBe(true);
  await ada.voice.speaks(tone(300, 40));
  await expect.poll(() => connection.receiver.ssrcMap.get(ada.id)?.userId).toBe(ada.id);
  expect(connection.state.status).toBe(VoiceConnectionStatus.Ready);
});

test('the bot moderates voice within its permissions', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada, client } = await useVoiceScene(sandbox);
  const quiet = guild.addVoiceChannel('Quiet');
  const member = await client.guilds.cache.get(guild.id)?.members.fetch(ada.id);
  if (!member) throw new Error('Cannot find the member');
  expect(await discordCode(member.edit({ mute: true }))).toBe(40032);
  ada.voice.joins(lounge);
  expect(await discordCode(member.edit({ mute: true }))).toBe(50013);
  expect(await discordCode(member.edit({ channel: quiet.id }))).toBe(50013);
  expect(sandbox.takeViolations()).toHaveLength(2);

  guild.botRole.may('MUTE_MEMBERS', 'DEAFEN_MEMBERS', 'MOVE_MEMBERS', 'CONNECT', 'VIEW_CHANNEL');
  await member.edit({ mute: true, deaf: true, channel: quiet.id });
  expect(ada.entity).toMatchObject({ isMuted: true, isDeafened: true });
  expect(ada.voice.channelId).toBe(quiet.id);
  await member.edit({ channel: null });
  expect(ada.voice.channelId).toBeNull();
});

test('on a stage the bot listens until a moderator lets it speak', async () => {
  const sandbox = await useSandbox();
  const { guild, ada, client, bot } = await useVoiceScene(sandbox);
  const stage = guild.addStageChannel('Stage');
  ada.voice.joins(stage);
  const connection = await join(client, stage);
  const say = async (): Promise<void> => {
    for (let index = 0; index < 5; index++) connection.playOpusPacket(Buffer.from([0xf8, 0xff, 0xfe]));
  };
  const me = (await client.channels.fetch(stage.id).then((channel) => channel as StageChannel)).guild.members
    .me?.voice;
  await say();
  await me?.setRequestToSpeak(true);
  expect(stage.voice.states.find((state) => state.member.user.bot)?.requestedToSpeakAtMs).not.toBeNull();
  expect(await discordCode(me?.setSuppressed(false) ?? Promise.resolve())).toBe(50013);
  expect(sandbox.takeViolations()).toMatchObject([{ kind: 'forbidden' }]);
  guild.voice.letsSpeak(bot);
  await say();
  await expect.poll(() => ada.voice.packetsOf(bot, stage).length).toBe(5);

  const fetched = await client.guilds.cache.get(guild.id)?.voiceStates.fetch('@me');
  expect(fetched).toMatchObject({ channelId: stage.id, suppress: false, requestToSpeakTimestamp: null });
});
