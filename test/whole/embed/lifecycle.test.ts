import { Client, Events, GatewayIntentBits } from 'discord.js';
import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { ServiceError } from '../../../src/base/errors.ts';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import type { MasqueradeOptions } from '../../../src/compose/masquerade-options.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { type Community, sample, useCommunity, useCommunityWithoutBot } from '../../helpers/use-community.ts';

type Place = Omit<Community, 'bot'>;

function useHostClient({ sandbox }: Place): Client {
  const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: sandbox.apiUrl } });
  onTestFinished(() => client.destroy());
  return client;
}

async function loggedIn(client: Client, { sandbox }: Place): Promise<void> {
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(sandbox.token);
  await ready;
}

function useHostServer(): ReturnType<typeof fastify> {
  const server = fastify();
  onTestFinished(() => server.close());
  return server;
}

function listenersOf(client: Client): Record<string, number> {
  return Object.fromEntries(client.eventNames().map((name) => [name, client.listenerCount(String(name))]));
}

/** Creates options for a bot that only polls, so that it works without a web server for webhooks. */
function hosted(place: Place, client: Client): MasqueradeOptions {
  const { publicUrl: _none, ...usual } = place.botOptions;
  return { ...usual, discord: { client }, jobLimits: { pollMsFirst: 100 } };
}

async function swaps({ ada, general }: Place): Promise<void> {
  const image = await sample('portrait-man-dark-hair.jpg');
  const use = await ada.runs('/photo-swap', { in: general, options: { image, face: image } });
  await use.replyWhere((message) => message.attachments.length === 1);
}

test('a bot that is disposed before its host logs in leaves the client unchanged and publishes nothing', async () => {
  const logged: string[] = [];
  const place = await useCommunityWithoutBot({ isFirstStart: true });
  const client = useHostClient(place);
  const before = listenersOf(client);
  const bot = await createMasquerade({ ...hosted(place, client), logger: recordingLogger(logged) });

  await Promise.all([bot[Symbol.asyncDispose](), bot[Symbol.asyncDispose]()]);

  await expect(bot.ready).rejects.toThrow('disposed');
  expect(listenersOf(client)).toEqual(before);
  await loggedIn(client, place);
  expect((await client.application?.commands.fetch())?.size).toBe(0);
  expect(logged.join('\n')).not.toContain('Cannot start');
});

test('a bot that is disposed while it starts ends at once and starts nothing', async () => {
  const logged: string[] = [];
  const place = await useCommunityWithoutBot({ isFirstStart: true });
  const client = useHostClient(place);
  await loggedIn(client, place);
  place.sandbox.faults.failNext({ route: '/applications/:applicationId/commands', delayMs: 3_000 });
  const bot = await createMasquerade({ ...hosted(place, client), logger: recordingLogger(logged) });

  const startedAtMs = performance.now();
  await bot[Symbol.asyncDispose]();

  expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  await expect(bot.ready).rejects.toThrow('disposed');
  expect(logged.join('\n')).not.toMatch(/Cannot|Commands are published/);
});

test('rejects, in one line, a server that is already listening, and leaves the host unchanged', async () => {
  const place = await useCommunityWithoutBot();
  const client = useHostClient(place);
  const before = listenersOf(client);
  const server = useHostServer();
  const base = await server.listen({ host: '127.0.0.1', port: 0 });

  const made = createMasquerade({ ...hosted(place, client), http: { fastify: server } });

  await expect(made).rejects.toThrow("Cannot add routes to the host's server: it is already listening");
  await expect(made).rejects.toBeInstanceOf(ServiceError);
  expect(listenersOf(client)).toEqual(before);
  expect((await fetch(`${base}/masquerade/healthz`)).status).toBe(404);
});

test('rejects existing routes in one line', async () => {
  const place = await useCommunityWithoutBot();
  const client = useHostClient(place);
  const before = listenersOf(client);
  const server = useHostServer();
  server.get('/masquerade/healthz', () => 'the host');

  const made = createMasquerade({ ...hosted(place, client), http: { fastify: server } });

  await expect(made).rejects.toThrow("Cannot add routes to the host's server: FST_ERR_DUPLICATED_ROUTE");
  expect(listenersOf(client)).toEqual(before);
});

test('rejects loopback callbacks into a server whose address it does not know', async () => {
  const place = await useCommunityWithoutBot();
  const options = { ...hosted(place, useHostClient(place)), publicUrl: 'loopback' };

  await expect(createMasquerade({ ...options, http: { fastify: useHostServer() } })).rejects.toThrow(
    TypeError,
  );
});

test('can be started again in the same server after Discord rejected the token', async () => {
  const place = await useCommunityWithoutBot();
  const server = useHostServer();
  const { publicUrl: _none, ...usual } = place.botOptions;
  const options = { ...usual, http: { fastify: server }, jobLimits: { pollMsFirst: 100 } };
  const refused = { token: 'wrong.token.here', apiUrl: place.sandbox.apiUrl };
  await expect(createMasquerade({ ...options, discord: refused })).rejects.toThrow('token is refused');
  place.sandbox.takeViolations();

  const bot = await createMasquerade(options);
  onTestFinished(() => bot[Symbol.asyncDispose]());

  const base = await server.listen({ host: '127.0.0.1', port: 0 });
  expect((await fetch(`${base}/masquerade/readyz`)).status).toBe(200);
  await swaps(place);
});

test('leaves the host unchanged when its own port is in use', async () => {
  const place = await useCommunityWithoutBot();
  const client = useHostClient(place);
  const before = listenersOf(client);
  const server = useHostServer();
  const port = Number(new URL(await server.listen({ host: '127.0.0.1', port: 0 })).port);

  const made = createMasquerade({ ...hosted(place, client), http: { port } });

  await expect(made).rejects.toThrow('the port is in use');
  expect(listenersOf(client)).toEqual(before);
});

test('reports in one line that its folder cannot be created', async () => {
  const place = await useCommunityWithoutBot();
  const dataDir = '/dev/null/data';
  const databaseUrl = `sqlite:${place.dataDir}/other.db`;
  const made = createMasquerade({ ...hosted(place, useHostClient(place)), dataDir, databaseUrl });

  await expect(made).rejects.toBeInstanceOf(ServiceError);
});

test('two bots run in one process independently', async () => {
  const [one, two] = [await useCommunity(), await useCommunity()];

  await Promise.all([swaps(one), swaps(two)]);
  await one.bot[Symbol.asyncDispose]();
  await swaps(two);

  expect(one.general.messages).toHaveLength(1);
  expect(two.general.messages).toHaveLength(2);
});
