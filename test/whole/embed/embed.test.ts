import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Client, Events, GatewayIntentBits, type Interaction } from 'discord.js';
import { fastify } from 'fastify';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import { type Community, sample, useCommunityWithoutBot } from '../../helpers/use-community.ts';
import { runReadmeExample } from './readme-example.ts';
import { useFolder } from '../../helpers/use-folder.ts';

type Place = Omit<Community, 'bot'>;

async function swapIn({ ada, general }: Place): Promise<string> {
  const options = {
    image: await sample('portrait-man-dark-hair.jpg'),
    face: await sample('portrait-woman-brown-hair.jpg'),
  };
  const use = await ada.runs('/photo-swap', { in: general, options });
  return (await use.replyWhere((message) => message.attachments.length === 1)).text;
}

/** Creates an existing bot with its own command, route, JSON parser and error handler. */
async function useHost({
  sandbox,
}: Place): Promise<{ client: Client<true>; server: ReturnType<typeof fastify> }> {
  const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: sandbox.apiUrl } });
  onTestFinished(() => client.destroy());
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(sandbox.token);
  const readyClient = await ready;
  await readyClient.application.commands.create({ name: 'ping', description: 'The host answers' });
  client.on(Events.InteractionCreate, (interaction: Interaction) => {
    if (interaction.isChatInputCommand() && interaction.commandName === 'ping')
      void interaction.reply('pong');
  });
  const server = fastify();
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    done(null, { wrapped: JSON.parse(String(body)) as unknown });
  });
  server.setErrorHandler((_error, _request, reply) => reply.code(418).send('the host'));
  server.post('/echo', (request) => request.body);
  onTestFinished(() => server.close());
  return { client: readyClient, server };
}

describe('in a host bot', () => {
  test('works beside its commands, routes and parsers, and does not change them', async () => {
    const place = await useCommunityWithoutBot({ isFirstStart: true });
    const { client, server } = await useHost(place);
    const listenersBefore = client.listenerCount(Events.InteractionCreate);
    const { http: _own, publicUrl: _loopback, ...usual } = place.botOptions;
    const bot = await createMasquerade({
      ...usual,
      discord: { client },
      http: { fastify: server },
      publicUrl: `http://127.0.0.1:${await freePort()}/masquerade`,
      jobLimits: { webhookMsMin: 300, pollMsFirst: 200 },
    });
    onTestFinished(() => bot[Symbol.asyncDispose]());
    const base = await server.listen({ host: '127.0.0.1', port: 0 });
    await bot.ready;

    expect(await swapIn(place)).toContain('AI-altered media');
    const pong = await (await place.ada.runs('/ping', { in: place.general })).replied();
    expect(pong.content).toBe('pong');
    expect(client.listenerCount(Events.InteractionCreate)).toBe(listenersBefore + 1);
    expect(await echo(base)).toEqual({ wrapped: { a: 1 } });
    const health = await fetch(`${base}/masquerade/readyz`);
    expect(await health.json()).toMatchObject({ status: 'ready' });

    await bot[Symbol.asyncDispose]();

    expect(client.isReady()).toBe(true);
    expect(client.listenerCount(Events.InteractionCreate)).toBe(listenersBefore);
    expect(await echo(base)).toEqual({ wrapped: { a: 1 } });
    expect((await fetch(`${base}/masquerade/healthz`)).status).toBe(503);
    const commands = (await client.application.commands.fetch()).map((command) => command.name);
    expect(commands).toEqual(expect.arrayContaining(['photo-swap', 'ping']));
  });

  test('receives webhooks as raw bytes although the host parses JSON', async () => {
    const place = await useCommunityWithoutBot({ isFirstStart: true });
    const { client, server } = await useHost(place);
    const port = await freePort();
    const { http: _own, ...usual } = place.botOptions;
    const bot = await createMasquerade({
      ...usual,
      discord: { client },
      http: { fastify: server, prefix: '/swap' },
      publicUrl: `http://127.0.0.1:${port}/swap`,
      jobLimits: { webhookMsMin: 3_600_000 },
    });
    onTestFinished(() => bot[Symbol.asyncDispose]());
    await server.listen({ host: '127.0.0.1', port });
    await bot.ready;

    expect(await swapIn(place)).toContain('AI-altered media');
  });

  test('runs as the README shows it', async () => {
    const place = await useCommunityWithoutBot({ isFirstStart: true });
    const port = await freePort();
    const { sandbox, media, dataDir } = place;
    const set = {
      MEDIA_API_URL: media.baseUrl,
      MEDIA_API_KEY: media.apiKey,
      MEDIA_API_SIGNING_SECRET: media.signingSecret,
      DISCORD_TOKEN: sandbox.token,
      PORT: String(port),
    };
    Object.assign(process.env, set);
    onTestFinished(() => {
      for (const name of Object.keys(set)) delete process.env[name];
    });

    const { masquerade } = await runReadmeExample({
      "'masquerade'": "'../../src/index.ts'",
      'GatewayIntentBits.GuildVoiceStates],': `GatewayIntentBits.GuildVoiceStates], rest: { api: '${sandbox.apiUrl}' },`,
      'https://bot.example.org': `http://127.0.0.1:${port}`,
      'discord: { client },': `discord: { client }, dataDir: '${dataDir}', attachmentHosts: ['${sandbox.cdnHost}'],`,
    });
    onTestFinished(async () => {
      await masquerade[Symbol.asyncDispose]();
      await masquerade.client.destroy();
    });

    expect(await swapIn(place)).toContain('AI-altered media');
  });

  test('does nothing on import: no listener, no file, no timer that would keep the process alive', async () => {
    const folder = await useFolder();
    const program = `
      const listeners = () => process.eventNames().length;
      const before = listeners();
      await import(process.argv[1]);
      console.log(listeners() - before);
    `;
    const index = pathToFileURL(join(import.meta.dirname, '../../../src/index.ts')).href;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', program, index],
      { cwd: folder, timeout: 20_000 },
    );

    expect(stdout.trim()).toBe('0');
    expect(await readdir(folder)).toEqual([]);
  });
});

async function echo(base: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${base}/echo`, { method: 'POST', body: '{"a":1}', headers });
  return answer.json();
}

async function freePort(): Promise<number> {
  const server = fastify();
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  await server.close();
  return Number(new URL(url).port);
}
