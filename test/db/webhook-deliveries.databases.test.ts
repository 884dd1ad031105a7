import { expect, test } from 'vitest';
import {
  closeDeliveriesOfJob,
  insertDeliveries,
  listDeliveriesOfJob,
  purgeDeliveries,
} from '../../db/queries/webhook-deliveries.ts';
import type { NewDelivery } from '../../db/schema/webhook-deliveries.ts';
import { useDatabase } from './use-database.ts';

function aDelivery(id: string, changes: Partial<NewDelivery> = {}): NewDelivery {
  const body = new TextEncoder().encode(`{"delivery_id":"${id}"}`);
  return {
    delivery_id: id,
    service_job_id: 'job',
    callback_token: 'token',
    body,
    received_at_ms: 1,
    ...changes,
  };
}

test('a delivery is stored once, byte for byte', async () => {
  const { kysely } = await useDatabase();
  const body = Uint8Array.of(0, 255, 10, 13);
  expect(await insertDeliveries(kysely, [aDelivery('d1', { body })])).toEqual(['d1']);
  const forged = { service_job_id: 'forged' };
  expect(await insertDeliveries(kysely, [aDelivery('d1', forged), aDelivery('d2')])).toEqual(['d2']);
  const [stored] = await listDeliveriesOfJob(kysely, { serviceJobId: 'job', callbackToken: 'token' }, 10);
  expect(stored).toMatchObject({ delivery_id: 'd1', service_job_id: 'job', received_at_ms: 1 });
  expect([...(stored?.body ?? [])]).toEqual([...body]);
});

test('the deliveries of a job are found by its token before its service id is known', async () => {
  const { kysely } = await useDatabase();
  await insertDeliveries(kysely, [aDelivery('late', { received_at_ms: 9 })]);
  await insertDeliveries(kysely, [aDelivery('untokened', { callback_token: null, received_at_ms: 5 })]);
  await insertDeliveries(kysely, [aDelivery('other', { callback_token: 'else', service_job_id: 'else' })]);
  const ids = async (serviceJobId: string | null): Promise<string[]> => {
    const rows = await listDeliveriesOfJob(kysely, { serviceJobId, callbackToken: 'token' }, 10);
    return rows.map((row) => row.delivery_id);
  };
  expect(await ids(null)).toEqual(['late']);
  expect(await ids('job')).toEqual(['untokened', 'late']);
  await closeDeliveriesOfJob(kysely, 'token', 20);
  expect(await ids('job')).toEqual(['untokened']);
});

test('only deliveries that were processed or unclaimed long enough ago are deleted, a bounded number at a time', async () => {
  const { kysely } = await useDatabase();
  for (const id of ['a', 'b', 'left', 'recent']) {
    await insertDeliveries(kysely, [aDelivery(id, { callback_token: `token_${id}` })]);
  }
  await insertDeliveries(kysely, [aDelivery('waiting', { received_at_ms: 50 })]);
  for (const id of ['a', 'b']) await closeDeliveriesOfJob(kysely, `token_${id}`, 10);
  await closeDeliveriesOfJob(kysely, 'token_a', 99);
  await closeDeliveriesOfJob(kysely, 'token_recent', 50);
  expect(await purgeDeliveries(kysely, { beforeMs: 50, limit: 2 })).toBe(2);
  expect(await purgeDeliveries(kysely, { beforeMs: 50, limit: 2 })).toBe(1);
  expect(await purgeDeliveries(kysely, { beforeMs: 50, limit: 2 })).toBe(0);
  const left = await kysely
    .selectFrom('webhook_deliveries')
    .select('delivery_id')
    .orderBy('delivery_id')
    .execute();
  expect(left.map((row) => row.delivery_id)).toEqual(['recent', 'waiting']);
});

test('closing the deliveries of a job deletes their bodies, which contain a signed link, and no others', async () => {
  const { kysely } = await useDatabase();
  const deliveries = ['token', 'other', null].flatMap((callback_token) =>
    [null, 5].map((processed_at_ms) => {
      return aDelivery(`${callback_token}_${processed_at_ms}`, { callback_token, processed_at_ms });
    }),
  );
  await insertDeliveries(kysely, deliveries);

  await closeDeliveriesOfJob(kysely, 'token', 20);

  const rows = await kysely.selectFrom('webhook_deliveries').selectAll().execute();
  const known = rows.map(({ delivery_id: id, processed_at_ms: at, body }) => {
    return `${id}: ${at} ${Buffer.from(body).toString()}`;
  });
  expect(known.toSorted()).toEqual([
    'null_5: 5 {"delivery_id":"null_5"}',
    'null_null: null {"delivery_id":"null_null"}',
    'other_5: 5 {"delivery_id":"other_5"}',
    'other_null: null {"delivery_id":"other_null"}',
    'token_5: 5 {"delivery_id":"token_5"}',
    'token_null: 20 ',
  ]);
});

test('the oldest unprocessed deliveries are read first, up to the limit', async () => {
  const { kysely } = await useDatabase();
  const times = [4, 1, 3, 2];
  await insertDeliveries(
    kysely,
    times.map((received_at_ms) => aDelivery(`d${received_at_ms}`, { received_at_ms })),
  );
  await insertDeliveries(kysely, [aDelivery('done', { received_at_ms: 0, processed_at_ms: 9 })]);
  const of = { serviceJobId: null, callbackToken: 'token' };
  expect((await listDeliveriesOfJob(kysely, of, 3)).map(({ delivery_id: id }) => id)).toEqual([
    'd1',
    'd2',
    'd3',
  ]);
});
