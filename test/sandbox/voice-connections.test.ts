import { VoiceConnectionDisconnectReason, VoiceConnectionStatus, entersState } from '@discordjs/voice';
import { Client } from 'discord.js';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { join, startJoin, tone, useVoiceScene } from './use-voice.ts';

const { Ready, Disconnected, Signalling, Connecting } = VoiceConnectionStatus;

test('a client that does not trust the certificate cannot connect', async () => {
  const sandbox = await useSandbox();
  const { lounge, client } = await useVoiceScene(sandbox);
  await join(client, lounge);
  const [state] = lounge.voice.states;
  const endpoint = sandbox.voiceEndpoint;
  const refused = await new Promise((resolve) => {
    new WebSocket(`wss://${endpoint}?v=8`, { ca: [] }).once('error', resolve);
  });

  expect(state?.sessionId).toBeDefined();
  expect(String(refused)).toMatch(/self-signed|unable to verify/);
});

test('a bot that a moderator disconnects stays disconnected', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, client, bot } = await useVoiceScene(sandbox);
  const connection = await join(client, lounge);
  guild.voice.disconnects(bot);
  await entersState(connection, Disconnected, 5000);

  expect(connection.state).toMatchObject({
    reason: VoiceConnectionDisconnectReason.WebSocketClose,
    closeCode: 4014,
  });
  expect(lounge.voice.states).toEqual([]);
});

test('a bot that is moved continues in the other channel', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, ada, client, bot } = await useVoiceScene(sandbox);
  const quiet = guild.addVoiceChannel('Quiet');
  const connection = await join(client, lounge);
  ada.voice.joins(quiet);
  guild.voice.moves(bot, quiet);
  await expect.poll(() => quiet.voice.connectedIds).toEqual([ada.id, bot.id]);
  await entersState(connection, Ready, 5000);
  connection.playOpusPacket(Buffer.from([0xf8, 0xff, 0xfe]));

  await expect.poll(() => ada.voice.packetsOf(bot, quiet).length).toBe(1);
  expect(lounge.voice.connectedIds).toEqual([]);
});

test('a deleted channel ends the call', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, client } = await useVoiceScene(sandbox);
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  lounge.disappears();
  await expect.poll(() => connection.state.status).not.toBe(Ready);
  expect(ada.voice.channelId).toBeNull();
  expect(sandbox.guilds[0]?.entity.voiceStates.size).toBe(0);
});

test.each([[1006], [4015]])('after %i a bot resumes and receives what it missed', async (code) => {
  const sandbox = await useSandbox();
  const { lounge, ada, ben, client } = await useVoiceScene(sandbox);
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  const states: string[] = [];
  connection.on('stateChange', (_before, after) => states.push(after.status));
  sandbox.faults.voiceIn(lounge).close(code);
  ben.voice.joins(lounge);
  await ben.voice.speaks(tone(300, 20));

  await expect.poll(() => connection.receiver.ssrcMap.get(ben.id)?.userId).toBe(ben.id);
  expect(connection.state.status).toBe(Ready);
  expect(states).not.toContain(Signalling);
});

test.each([[4006], [4009], [4021], [4022]])('after %i a bot that joins again is admitted', async (code) => {
  const sandbox = await useSandbox();
  const { lounge, client, bot } = await useVoiceScene(sandbox);
  const connection = await join(client, lounge);
  const left = entersState(connection, Connecting, 5000);
  sandbox.faults.voiceIn(lounge).close(code);
  await left;
  await entersState(connection, Ready, 5000);

  expect(lounge.voice.connectedIds).toEqual([bot.id]);
});

test('a bot that cannot resume, and is rejected a few times, is admitted in the end', async () => {
  const sandbox = await useSandbox();
  const { lounge, client, bot } = await useVoiceScene(sandbox);
  const connection = await join(client, lounge);
  const joining = entersState(connection, Signalling, 5000);
  let joins = 0;
  connection.on('stateChange', (_before, { status }) => {
    if (status === Signalling) joins++;
  });
  sandbox.faults.voiceIn(lounge).refuseNext(4009, 2);
  sandbox.faults.voiceIn(lounge).refuseNextResume();
  sandbox.faults.voiceIn(lounge).close();
  await joining;
  await entersState(connection, Ready, 5000);

  expect(joins).toBe(3);
  expect(lounge.voice.connectedIds).toEqual([bot.id]);
});

test('a bot follows its call to another voice server', async () => {
  const sandbox = await useSandbox();
  const { lounge, ada, client, bot } = await useVoiceScene(sandbox);
  ada.voice.joins(lounge);
  const connection = await join(client, lounge);
  const without = entersState(connection, Disconnected, 5000);
  sandbox.faults.voiceIn(lounge).changeServer(100);
  await without;
  expect(connection.state).toMatchObject({ reason: VoiceConnectionDisconnectReason.EndpointRemoved });
  await entersState(connection, Ready, 5000);
  connection.playOpusPacket(Buffer.from([0xf8, 0xff, 0xfe]));
  await expect.poll(() => ada.voice.packetsOf(bot, lounge).length).toBe(1);
});

test('a client whose packet that asks for its address is lost stays in that state', async () => {
  const sandbox = await useSandbox();
  const { lounge, client } = await useVoiceScene(sandbox);
  sandbox.faults.dropIpDiscovery();
  const connection = startJoin(client, lounge);
  await expect.poll(() => lounge.voice.connectedIds.length).toBe(1);
  expect(connection.state.status).toBe(Connecting);
  connection.rejoin();
  connection.configureNetworking();
  await entersState(connection, Ready, 5000);
});

test('two bots of two applications hear each other in one channel', async () => {
  const sandbox = await useSandbox();
  const { guild, lounge, client, bot } = await useVoiceScene(sandbox);
  const { token } = sandbox.addApplication('Mouth');
  const { intents, rest = {} } = client.options;
  const mouth = new Client({ intents, rest });
  onTestFinished(() => mouth.destroy());
  const ready = new Promise<Client<true>>((resolve) => mouth.once('clientReady', resolve));
  await mouth.login(token);
  const ear = await join(client, lounge);
  const speaking = await join(await ready, lounge, { group: 'mouth' });
  const mouthId = mouth.user?.id ?? '';
  const stream = ear.receiver.subscribe(mouthId);
  const first = new Promise<Buffer>((resolve) => stream.once('data', resolve));
  speaking.playOpusPacket(Buffer.from([0xf8, 0xff, 0xfe]));

  expect(await first).toEqual(Buffer.from([0xf8, 0xff, 0xfe]));
  expect(lounge.voice.connectedIds).toEqual([bot.id, mouthId]);
  guild.voice.disconnects({ id: mouthId });
  await entersState(speaking, Disconnected, 5000);
  expect(ear.state.status).toBe(Ready);
});

test('a bot that logs out leaves the voice channel', async () => {
  const sandbox = await useSandbox();
  const { lounge, client } = await useVoiceScene(sandbox);
  await join(client, lounge);
  await client.destroy();
  await expect.poll(() => lounge.voice.states).toEqual([]);
});
