import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { ZERO, parseUsd } from '../../../../src/base/money.ts';
import { MediaApi } from '../../../../src/media-api/media-api.ts';
import type { MediaServer } from '../../../../src/media-server/server.ts';
import { Operator } from '../../../../src/bot/people/operator/operator.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { useServer } from '../../../media-server/use-server.ts';
import { only } from '../../../helpers/only.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { useOperator } from './use-operator.ts';
import type { OperatorNote } from '../../../../src/bot/people/operator/operator-alert.ts';

const DAY_MS = 86_400_000;
const CHANNEL = '123456789012345678';

interface Watched {
  readonly clock: FakeClock;
  readonly media: MediaServer;
  readonly notified: readonly OperatorNote['alert'][];
  readonly logged: readonly string[];
  readonly operator: Operator;
  readonly db: Awaited<ReturnType<typeof useDatabase>>;
}

/**
 * Watches the account of a real media server and collects the notifications. `key` returns the API key for each
 * request.
 */
async function useWatched(balance: string, key?: (media: MediaServer) => string): Promise<Watched> {
  const clock = new FakeClock();
  const { server: media } = await useServer({ openingBalance: parseUsd(balance) });
  const db = await useDatabase();
  const notified: OperatorNote['alert'][] = [];
  const logged: string[] = [];
  const log = recordingLogger(logged);
  const api = new MediaApi({
    baseUrl: media.baseUrl,
    apiKey: () => key?.(media) ?? media.apiKey,
    clock,
  });
  onTestFinished(() => api[Symbol.asyncDispose]());
  const operator = new Operator({
    db,
    clock,
    log,
    ledger: only({}),
    account: api.account,
    operators: only({}),
    names: only({}),
    allowances: only({}),
    channel: {
      sendOperatorAlert: (_channelId, { alert }) =>
        Promise.resolve(void notified.push(alert)).then(() => ({ outcome: 'sent' })),
    },
    channelId: CHANNEL,
    lowBalance: parseUsd(5),
  });
  onTestFinished(() => operator[Symbol.asyncDispose]());
  api.onKey((state) => operator.recordKeyState(state));
  return { clock, media, notified, logged, operator, db };
}

/** Advances the clock, and waits until the account has been checked again. */
async function later({ clock, db }: Watched, ms: number = 300_000): Promise<void> {
  const askedAt = async (): Promise<string | undefined> =>
    (
      await db.kysely
        .selectFrom('settings')
        .selectAll()
        .where('name', '=', 'service_balance')
        .executeTakeFirst()
    )?.value;
  const before = await askedAt();
  await clock.advance(ms);
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return askedAt();
    })
    .not.toBe(before);
  await clock.advance(6_000);
}

/** Waits until exactly these notifications were sent. The clock advances meanwhile. */
async function untilNotified({ clock, notified }: Watched, expected: readonly object[]): Promise<void> {
  await expect
    .poll(async () => {
      await clock.advance(1_000);
      return notified;
    })
    .toMatchObject([...expected]);
}

test('a low balance is reported once, and again only after it recovered', async () => {
  let poorKey: string | null = null;
  const watched = await useWatched('4', (media) => poorKey ?? media.apiKey);
  watched.operator.start();
  await later(watched, 0);
  await later(watched);
  await later(watched);
  const first = { kind: 'low_balance', balance: parseUsd(4), held: ZERO, threshold: parseUsd(5) };
  await untilNotified(watched, [first]);
  watched.media.admin.topUp(parseUsd(10));
  await later(watched);
  await later(watched);
  expect(watched.notified).toEqual([first]);
  const { admin } = watched.media;
  const accountId = admin.createAccount('Nearly empty');
  admin.topUp(parseUsd(3), accountId);
  poorKey = admin.createKey({ accountId, name: 'poor' }).text;
  await later(watched);

  await untilNotified(watched, [first, { kind: 'low_balance', balance: parseUsd(3) }]);
  expect(watched.logged.filter((line) => line.includes('is low'))).toHaveLength(2);
});

test('a balance that stays low is reported again after a day', async () => {
  const watched = await useWatched('4');
  watched.operator.start();
  await later(watched, 0);
  await untilNotified(watched, [{ kind: 'low_balance' }]);
  await later(watched, DAY_MS);
  await later(watched);

  await untilNotified(watched, [{ kind: 'low_balance' }, { kind: 'low_balance' }]);
});

test('a balance below the amount set aside is low, whatever amount is configured', async () => {
  const watched = await useWatched('20');
  await watched.db.kysely
    .insertInto('holds')
    .values({
      subject: 'job_a',
      guild_id: '1',
      user_id: '2',
      role_ids: '',
      capability: 'photo_swap',
      amount_micros: parseUsd(21),
      state: 'pending',
      slot_ms: 0,
      rate_card: '{}',
      created_at_ms: 0,
    })
    .execute();
  watched.operator.start();
  await later(watched, 0);

  await untilNotified(watched, [{ kind: 'low_balance', balance: parseUsd(20), held: parseUsd(21) }]);
});

test('a refused key is reported once, and again when a key is refused after one that worked', async () => {
  let revoked: string | null = 'sk_old';
  const watched = await useWatched('20', (media) => revoked ?? media.apiKey);
  watched.operator.start();
  await expect
    .poll(async () => {
      await watched.clock.advance(6_000);
      return watched.notified.map(({ kind }) => kind);
    })
    .toEqual(['key_refused']);
  await watched.clock.advance(900_000);
  expect(watched.notified).toHaveLength(1);
  revoked = null;
  await later(watched);
  revoked = 'sk_new';

  await expect
    .poll(async () => {
      await watched.clock.advance(60_000);
      return watched.notified.map(({ kind }) => kind);
    })
    .toEqual(['key_refused', 'key_refused']);
});

test("the bot refuses jobs that the account cannot pay, and notifies the operator's channel once", async () => {
  const place = await useOperator({ media: { openingBalance: parseUsd('0.03') } });
  await expect
    .poll(async () => (await place.operates('status')).text)
    .toContain('**Balance at the service**: $0.03');
  const refused = [await place.swaps(), await place.swaps()];

  for (const { text } of refused) {
    expect(text).toContain("the bot's own account at the media service is used up for now");
    expect(text).toContain('Nothing was charged');
  }
  expect((await place.bot.budget(place.guild.id)).left).toBe(parseUsd(10));
  expect(place.engine.begun).toEqual([]);
  await expect.poll(() => place.office.messages.map(({ text }) => text)).toHaveLength(2);
  const notified = place.office.messages.map(({ text }) => text).toSorted();
  expect(notified[0]).toContain('Jobs are refused: the account is used up');
  expect(notified[1]).toContain('The balance at the media service is low');
  expect((await place.operates('status')).text).toContain('Jobs are refused');
});

test('the operator is also notified when the service itself reports that its account is used up', async () => {
  const place = await useOperator({ media: { openingBalance: parseUsd('0.06') } });
  await expect.poll(async () => (await place.operates('status')).text).toContain('$0.06');
  await place.swaps();
  const failed = await place.swaps();

  expect(failed.text).toContain("The bot's own account at the media service is used up");
  await expect
    .poll(() => place.office.messages.map(({ text }) => text).join('\n'))
    .toContain('The service said that its account does not cover that.');
});
