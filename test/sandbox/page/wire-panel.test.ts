import type { ChatInputCommandInteraction } from 'discord.js';
import { expect, test } from 'vitest';
import { noteWire, routeOf, watchWire } from '../../../src/base/wire-note.ts';
import type { PageFault, PageWire } from '../../../src/sandbox/page/wire-views.ts';
import { useSandbox } from '../../helpers/use-sandbox.ts';
import { useCommand } from '../use-command.ts';
import { usePage } from './use-page.ts';

test('the panel shows the calls that an action caused, in order and with times', async () => {
  const sandbox = await useSandbox();
  const { guild, general, ada } = await useCommand(sandbox, (interaction: ChatInputCommandInteraction) =>
    interaction.reply({
      content: 'Hello',
      files: [{ attachment: Buffer.from('abc'), name: 'private-name.txt' }],
    }),
  );
  const page = await usePage(sandbox);
  const live = await page.actsAs(ada.id);
  live.send({ t: 'watch_wire', on: true });
  await page.post(`/guilds/${guild.id}/members/${ada.id}/runs`, { command: '/hello', in: general.id });
  const seen = (): string[] =>
    live
      .of('wire')
      .flatMap(({ entries }) => entries)
      .filter(({ action }) => action === 1)
      .map(({ source, what, status }) => `${source} ${what} ${status}`);
  await expect.poll(seen).toHaveLength(4);
  expect(seen()).toEqual([
    'chat runs /hello null',
    'gateway INTERACTION_CREATE null',
    'gateway MESSAGE_CREATE null',
    'rest POST /interactions/:interactionId/:token/callback 204',
  ]);
  const { body } = await page.get<PageWire>('/wire');
  expect(body.entries.at(-1)).toMatchObject({ action: 1, detail: { files: 1, bytes: 3 } });
  expect(body.entries.at(-1)?.ms).toBeGreaterThan(0);
  expect(JSON.stringify(body)).not.toContain('private-name');
});

test('no secret gets into the panel, whatever its source', async () => {
  const sandbox = await useSandbox();
  const page = await usePage(sandbox);
  using watched = watchWire((note) => sandbox.noteWire(note));
  expect(watched).toBeDefined();
  const secret = 'sk_live_0123456789abcdefghijklmnopqrstuv';
  noteWire(() => ({
    source: 'media_api',
    what: `GET ${routeOf(new URL(`http://x.example/api/v1/jobs/job_ab3cdefgh2/outputs?token=${secret}`))}`,
    status: 200,
    ms: 12.345,
    detail: { kind: `key ${secret}`, authorization: secret, bytes: 5 },
  }));
  noteWire(() => ({ source: 'session', what: `wss://x.example/s/${secret}?key=${secret}`, status: secret }));
  const { body } = await page.get<PageWire>('/wire');
  expect(body.entries).toMatchObject([
    {
      what: 'GET /api/v1/jobs/:id/outputs',
      status: 200,
      ms: 12.3,
      detail: { kind: 'key [hidden]', bytes: 5 },
    },
    { source: 'session', what: 'wss://x.example/s/[hidden]', status: '[hidden]' },
  ]);
  expect(JSON.stringify(body)).not.toMatch(/sk_live|authorization/);
});

/** Distinctive secrets of the kinds that the connections in the wire panel carry. */
const SECRETS = {
  'bearer key': 'sk_live_0123456789abcdefghij',
  'webhook secret': 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  'bot token': 'MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs',
  'hex signature': '5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  base64: 'aGVsbG8gd29ybGQ+c29tZQ9zZWNyZXQxMjM0NTY3ODk=',
  'web token': 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P',
  'session ticket': 'tkt_4fj2k9s8d7f6g5h4',
  'callback path': 'cb_abcdefghijklmnopqrstuvwxyz234567',
} as const;

test.each(Object.entries(SECRETS))(
  'a %s does not get into the panel through any field',
  async (_name, secret) => {
    const sandbox = await useSandbox();
    const page = await usePage(sandbox);
    const details = ['kind', 'reason', 'user', 'channel', 'command', 'guild', 'code', 'secret', 'url'];
    const forms = [secret, `Bearer ${secret}`, `wss://x.example/s/${secret}/frames`, `x?token=${secret}`];
    for (const form of forms) {
      const detail = Object.fromEntries(details.map((name) => [name, form]));
      sandbox.noteWire({ source: 'session', what: form, status: form, useId: secret, detail });
      const route = routeOf(
        new URL(`https://u:${secret}@x.example/api/v1/jobs/${secret}?key=${secret}#${secret}`),
      );
      expect(route).toBe('/api/v1/jobs/:id');
    }
    await page.post(`/guilds/${secret}/members/${secret}/runs`, { command: `/x ${secret}`, in: secret });
    const { body } = await page.get<PageWire>('/wire');
    expect(body.entries).toHaveLength(forms.length + 1);
    const pieces = [...Array(secret.length - 9).keys()].map((at) => secret.slice(at, at + 10));
    expect(pieces.filter((piece) => JSON.stringify(body).includes(piece))).toEqual([]);
  },
);

test('traffic belongs to the action of its use, to the latest one, or to none', async () => {
  const sandbox = await useSandbox();
  const { guild, general, ada } = await useCommand(sandbox, (interaction) => interaction.reply('Hello'));
  const page = await usePage(sandbox);
  const member = `/guilds/${guild.id}/members/${ada.id}`;
  const { body: use } = await page.post<{ id: string }>(`${member}/runs`, {
    command: '/hello',
    in: general.id,
  });
  await page.post(`${member}/says`, { content: 'Next', in: general.id });
  for (const useId of [use.id, undefined, null, '1'])
    sandbox.noteWire({ source: 'ledger', what: 'hold', useId });
  const { entries } = (await page.get<PageWire>('/wire')).body;
  expect(entries.slice(-4).map(({ action }) => action)).toEqual([1, 2, 0, 0]);
});

test('the panel keeps only the last 500 entries', async () => {
  const sandbox = await useSandbox();
  const page = await usePage(sandbox);
  for (let count = 1; count <= 600; count++) sandbox.noteWire({ source: 'rest', what: `call ${count}` });
  const { entries } = (await page.get<PageWire>('/wire')).body;
  expect([entries.length, entries[0]?.what, entries.at(-1)?.what]).toEqual([500, 'call 101', 'call 600']);
});

test('fault buttons set faults, show their state, and remove them', async () => {
  const sandbox = await useSandbox();
  const { guild, general, ada, client } = await useCommand(sandbox, (interaction) =>
    interaction.reply('Hello'),
  );
  const page = await usePage(sandbox);
  const live = await page.actsAs(ada.id);
  const press = async (name: PageFault['name'], on = true): Promise<number> =>
    (await page.post('/faults', { named: { name, on } })).status;
  const stands = (name: PageFault['name']): boolean | undefined =>
    live.faults.find((fault) => fault.name === name)?.on;
  expect(live.faults.filter(({ unavailable }) => unavailable !== null).map(({ name }) => name)).toEqual([
    'lose_webhook',
    'no_capacity',
  ]);
  expect(await press('no_capacity')).toBe(400);
  expect(await press('rest_500')).toBe(200);
  await expect.poll(() => stands('rest_500')).toBe(true);
  expect(await press('rest_500', false)).toBe(200);
  await expect.poll(() => stands('rest_500')).toBe(false);
  await client.rest.get(`/channels/${general.id}`);
  expect(await press('silent_bot')).toBe(200);
  const runs = { command: '/hello', in: general.id };
  const use = await page.post<{ id: string }>(`/guilds/${guild.id}/members/${ada.id}/runs`, runs);
  await expect.poll(() => live.uses.get(use.body.id)?.state, { timeout: 8_000 }).toBe('failed');
  await press('silent_bot', false);
  const again = await page.post<{ id: string }>(`/guilds/${guild.id}/members/${ada.id}/runs`, runs);
  await expect.poll(() => live.uses.get(again.body.id)?.state).toBe('replied');
  expect(live.state?.bot.online).toBe(true);
  await press('drop_gateway');
  await expect.poll(() => live.of('bot').map(({ bot }) => bot.online)).toContain(false);
  await expect.poll(() => live.of('bot').at(-1)?.bot.online).toBe(true);
});

test('buttons show the state of faults, wherever they were set', async () => {
  const sandbox = await useSandbox();
  const { filmClub } = sandbox.seed();
  const { lounge } = filmClub.channels;
  const page = await usePage(sandbox);
  const live = await page.actsAs(filmClub.members.ada.id);
  const stands = (name: PageFault['name']): boolean | undefined =>
    live.faults.find((fault) => fault.name === name)?.on;
  const order = async (fault: object): Promise<void> => {
    expect((await page.post('/faults', fault)).status).toBe(200);
  };
  await order({ named: { name: 'voice_loss', on: true } });
  const later = filmClub.guild.addVoiceChannel('Later');
  const losses = (): number[] => [lounge, later].map((it) => sandbox.faults.voiceIn(it).lossPercent);
  expect(losses()).toEqual([5, 5]);
  await expect.poll(() => stands('voice_loss')).toBe(true);
  await order({ named: { name: 'voice_loss', on: false } });
  await expect.poll(() => stands('voice_loss')).toBe(false);
  expect(losses()).toEqual([0, 0]);
  sandbox.faults.loseVoice(20);
  sandbox.faults.loseInteractions(true);
  const { body } = await page.get<PageFault[]>('/faults');
  expect(body.filter(({ on }) => on).map(({ name }) => name)).toEqual(['silent_bot', 'voice_loss']);
  await order({ named: { name: 'voice_loss', on: false } });
  await order({ named: { name: 'silent_bot', on: false } });
  expect([...losses(), sandbox.faults.losesInteractions]).toEqual([0, 0, false]);
});

test('a fault outside of the sandbox is set where it was connected', async () => {
  const sandbox = await useSandbox();
  const page = await usePage(sandbox);
  let isOn = false;
  sandbox.connectFault('no_capacity', { isOn: () => isOn, set: (on) => void (isOn = on) });
  const answer = await page.post<PageFault[]>('/faults', { named: { name: 'no_capacity', on: true } });
  expect(isOn).toBe(true);
  expect(answer.body.find(({ name }) => name === 'no_capacity')).toMatchObject({
    on: true,
    unavailable: null,
  });
});
