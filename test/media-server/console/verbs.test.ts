import { expect, test } from 'vitest';
import { parseUsd } from '../../../src/base/money.ts';
import { ApiClient } from '../api-client.ts';
import { useConsole } from './use-console.ts';

test('an account is created, topped up to the micro-dollar, and used with a key that is shown once', async () => {
  const { client, server } = await useConsole();
  await client.execute({ verb: 'create_account', name: 'Photo club' });
  const club = (await client.state()).accounts.rows[1];
  expect(club).toMatchObject({ name: 'Photo club', available: 0 });
  const accountId = club?.id ?? '';
  await client.execute({ verb: 'top_up', accountId, dollars: '0.1' });
  const topped = await client.execute({ verb: 'top_up', accountId, dollars: '0.200001' });
  expect(topped.done).toContain('$0.200001');
  const made = await client.execute({ verb: 'create_key', accountId, name: 'Bot', requestsPerMinute: '2' });
  const api = new ApiClient(server.baseUrl, made.secret);
  expect((await api.get('/balance')).json).toMatchObject({ balance_usd: 0.300001 });
  expect((await client.ask('GET', `balance?account=${accountId}`)).json).toMatchObject({
    balance: 300_001,
    toppedUp: 300_001,
    spent: 0,
  });
  const state = await client.state();
  expect(JSON.stringify(state)).not.toContain(made.secret);
  const keyId = state.keys.rows.find(({ name }) => name === 'Bot')?.id ?? '';
  expect((await api.get('/balance')).status).toBe(200);
  expect((await api.get('/balance')).status).toBe(429);
  await client.execute({ verb: 'limit_key', keyId, requestsPerMinute: '100' });
  expect((await api.get('/balance')).status).toBe(200);
  await client.execute({ verb: 'revoke_key', keyId });
  expect((await api.get('/balance')).status).toBe(401);
  expect((await client.refused({ verb: 'revoke_key', keyId })).message).toContain('is revoked already');
});

test('rates are set for all accounts and for one, and removed', async () => {
  const { client, server, api } = await useConsole();
  const accountId = server.admin.listAccounts()[0]?.id ?? '';
  const amounts = { rate: '0.07', minimum: '0.01', hold: '0.09' };
  await client.execute({ verb: 'set_rate', capability: 'photo_swap', accountId: null, ...amounts });
  await client.execute({
    verb: 'set_rate',
    capability: 'photo_swap',
    accountId,
    ...amounts,
    rate: '0.000125',
  });
  const ofPhotos = (await client.state()).rates.filter(({ capability }) => capability === 'photo_swap');
  expect(ofPhotos).toEqual([
    { capability: 'photo_swap', accountId: null, unit: 'image', rate: 70_000, minimum: 10_000, hold: 90_000 },
    { capability: 'photo_swap', accountId, unit: 'image', rate: 125, minimum: 10_000, hold: 90_000 },
  ]);
  const { id } = await api.submit(await api.photoSwapBody());
  expect((await api.ended(id)).charged_usd).toBe(0.01);
  await client.execute({ verb: 'reset_rate', capability: 'photo_swap', accountId });
  expect(server.admin.listRates(accountId).find(({ feature }) => feature === 'photo_swap')?.rate).toBe(
    70_000,
  );
});

test('a switch and a ceiling apply to the next submit, and a cancelled job releases its hold', async () => {
  const { client, api, engine } = await useConsole();
  const body = await api.photoSwapBody();
  const code = async (): Promise<unknown> => (await api.post('/face-swap-image', body)).json;
  await client.execute({ verb: 'switch_capability', capability: 'photo_swap', enabled: false });
  expect(await code()).toMatchObject({ error: { code: 'capability_unavailable' } });
  await client.execute({ verb: 'switch_capability', capability: 'photo_swap', enabled: true });
  engine.pause();
  const { id } = await api.submit(body);
  await client.execute({ verb: 'set_ceiling', ceiling: 'jobsInFlightMax', value: '1' });
  expect(await code()).toMatchObject({ error: { code: 'at_capacity' } });
  expect((await client.execute({ verb: 'cancel_job', jobId: id })).done).toContain('$0.06 went back');
  expect(await api.job(id)).toMatchObject({ status: 'failed', charged_usd: 0 });
  expect((await client.refused({ verb: 'cancel_job', jobId: id })).message).toContain('has failed already');
});

test('the signing secret is shown on request, rotated, and in no list', async () => {
  const { client, server } = await useConsole();
  const accountId = server.admin.listAccounts()[0]?.id ?? '';
  expect((await client.execute({ verb: 'show_secret', accountId })).secret).toBe(server.signingSecret);
  const rotated = await client.execute({ verb: 'rotate_secret', accountId, overlapMinutes: '60' });
  expect(rotated.done).toContain('signs along for 60 minutes');
  expect(server.admin.signingSecret()).toBe(rotated.secret);
  const shown = JSON.stringify(await client.state());
  expect(shown).not.toMatch(/whsec_|mk_[a-z2-7]{32}/);
});

test.each([
  [{ verb: 'top_up', dollars: '1,50' }, 'dollars', 'without commas'],
  [{ verb: 'top_up', dollars: '0' }, 'dollars', 'above 0'],
  [{ verb: 'top_up', dollars: '0.0000001' }, 'dollars', 'six decimals'],
  [{ verb: 'top_up', dollars: '1e3' }, 'dollars', 'dollars such as'],
  [{ verb: 'top_up', dollars: '1000000.01' }, 'dollars', 'at most $1,000,000'],
  [{ verb: 'top_up', dollars: '1', accountId: 'acc_none' }, 'accountId', 'no such account'],
  [{ verb: 'create_key', name: '', requestsPerMinute: '60' }, 'name', 'a name of 1 to 100'],
  [
    { verb: 'create_key', name: 'Bot', requestsPerMinute: '1.5' },
    'requestsPerMinute',
    'a whole number from 1',
  ],
  [{ verb: 'rotate_secret', overlapMinutes: '20000' }, 'overlapMinutes', 'to 10,080'],
  [{ verb: 'top_up', dollars: 5 }, undefined, 'cannot be understood'],
  [{ verb: 'revoke_key', keyId: 'key_none' }, 'keyId', 'no such key'],
  [{ verb: 'cancel_job', jobId: 'job_none' }, 'jobId', 'no such job'],
  [{ verb: 'set_ceiling', ceiling: 'voiceSessionsMax', value: '1001' }, 'value', '1 to 1,000'],
  [{ verb: 'switch_capability', capability: 'flying', enabled: false }, 'capability', 'there are avatar,'],
  [{ verb: 'delete_everything' }, undefined, 'cannot be understood'],
])(
  '%j is rejected with a sentence that explains what to enter, and changes nothing',
  async (verb, field, words) => {
    const { client, server } = await useConsole();
    const accountId = server.admin.listAccounts()[0]?.id;
    const before = server.admin.balance();
    const isOfAccount = /^(top_up|create_key|rotate_secret)$/.test(verb.verb);
    const refusal = await client.refused({ ...(isOfAccount ? { accountId } : {}), ...verb });
    expect([refusal.code, refusal.field]).toEqual(['refused', field]);
    expect(refusal.message).toContain(words);
    expect(server.admin.balance()).toEqual(before);
    expect(server.admin.listKeys()).toHaveLength(1);
  },
);

test('a session has only a rate', async () => {
  const { client } = await useConsole();
  const state = await client.state();
  expect(state.rates.find(({ capability }) => capability === 'voice_swap')).toMatchObject({
    hold: null,
    unit: 'minute',
  });
  const session = { verb: 'set_rate', capability: 'voice_swap', accountId: null, rate: '1' };
  expect((await client.refused({ ...session, minimum: '1', hold: null })).message).toContain('only a rate');
  await client.execute({ ...session, verb: 'set_rate', rate: '0.02', minimum: null, hold: null });
});

test('a key without its own limit has that of the server, which the page shows', async () => {
  const { client } = await useConsole({ requestsPerMinute: 77 });
  const { accounts, requestsPerMinute } = await client.state();
  const accountId = accounts.rows[0]?.id ?? '';
  const { id } = await client.execute({
    verb: 'create_key',
    accountId,
    name: 'Bot',
    requestsPerMinute: null,
  });
  const { keys } = await client.state();
  expect(requestsPerMinute).toBe(77);
  expect(keys.rows.find((key) => key.id === id)).toMatchObject({ name: 'Bot', requestsPerMinute: 77 });
});

test('one amount of a rate can be changed alone, and an empty change changes nothing', async () => {
  const { client } = await useConsole();
  const ofPhotos = { verb: 'set_rate', capability: 'photo_swap', accountId: null, rate: null } as const;
  await client.execute({ ...ofPhotos, minimum: '0.01', hold: null });
  expect((await client.state()).rates).toContainEqual(
    expect.objectContaining({ capability: 'photo_swap', rate: 40_000, minimum: 10_000, hold: 60_000 }),
  );
  expect((await client.refused({ ...ofPhotos, minimum: null, hold: null })).field).toBe('rate');
});

test('lists continue page by page, and an unknown account has no balance', async () => {
  const { client, server } = await useConsole();
  for (let number = 0; number < 60; number += 1) server.admin.createKey({ name: `Key ${number}` });
  const first = (await client.state()).keys;
  expect([first.rows.length, first.more]).toEqual([50, true]);
  const rest = (await client.ask('GET', 'lists/keys?offset=50')).json as typeof first;
  expect([rest.rows.length, rest.more]).toEqual([11, false]);
  expect(new Set([...first.rows, ...rest.rows].map(({ id }) => id)).size).toBe(61);
  const all = (await client.ask('GET', 'lists/keys?offset=0&limit=500')).json as typeof first;
  expect(all).toEqual({ rows: [...first.rows, ...rest.rows], more: false });
  expect((await client.ask('GET', 'lists/keys?offset=-1')).status).toBe(400);
  expect((await client.ask('GET', 'lists/keys?offset=0&limit=501')).status).toBe(400);
  for (let number = 0; number < 60; number += 1) server.admin.createAccount(`Club ${number}`);
  const { accounts, accountNames } = await client.state();
  expect([accounts.rows.length, accounts.more, accountNames.length]).toEqual([50, true, 61]);
  expect(accountNames.map(({ name }) => name)).toContain('Club 59');
  expect((await client.ask('GET', 'lists/secrets?offset=0')).status).toBe(404);
  expect((await client.ask('GET', 'balance?account=acc_none')).status).toBe(400);
  server.admin.topUp(parseUsd('1'));
});
