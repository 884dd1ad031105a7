import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openPseudonyms } from '../../../../db/pseudonyms.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { Members } from '../../../../src/bot/people/members/members.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import type { Row, Subject } from './filled-tables.ts';
import { put as putRow, rowsOf } from './use-removal.ts';
import type { PostedMessage } from '../../../../src/bot/jobs/job-publisher.ts';

const ADA: Subject = { name: 'a', userId: '700000000000000001', guildId: '800000000000000001' };
const BEN: Subject = { name: 'b', userId: '700000000000000002', guildId: '800000000000000002' };
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

async function usePlace() {
  const dataDir = await useFolder();
  const path = join(dataDir, 'masquerade.db');
  const db = await useDatabase(path);
  const clock = new FakeClock();
  const lines: string[] = [];
  const asked: { readonly messageId: string; readonly atMs: number }[] = [];
  const chat = { answer: (_message: PostedMessage): Promise<boolean> => Promise.resolve(true) };
  const guilds = { isIn: (_guildId: string): boolean | null => true };
  const watching = new Set<(guildId: string, isIn: boolean) => void>();
  const called: string[] = [];
  const pseudonymOf = await openPseudonyms(db.kysely);
  const open = async (): Promise<Members> => {
    const members = await Members.open({
      db,
      clock,
      dataDir,
      log: recordingLogger(lines),
      pictures: {
        cleanFace: () => Promise.reject(new TypeError('This test cleans no face')),
        previewFace: () => Promise.reject(new TypeError('This test shows no face')),
      },
      fetcher: { fetch: () => Promise.reject(new TypeError('This test fetches nothing')) },
      publisher: {
        remove(message) {
          asked.push({ messageId: message.messageId, atMs: clock.now() });
          return chat.answer(message);
        },
      },
      presence: {
        isIn: (guildId) => guilds.isIn(guildId),
        watch: (change) => {
          watching.add(change);
          return { [Symbol.dispose]: () => void watching.delete(change) };
        },
      },
      pseudonymOf,
      limitSpanOf: () => Promise.resolve({ startsAtMs: 0, endsAtMs: clock.now() }),
      removeJobFiles: () => Promise.resolve(),
      resultKeepMs: 1,
      departedKeepMs: DAY_MS,
    });
    members.onRemoval((userId) => called.push(userId));
    onTestFinished(() => members[Symbol.asyncDispose]());
    return members;
  };
  const put = (table: string, of: Subject, changes: Row = {}): Promise<void> =>
    putRow(db, table, of, changes);
  const count = async (table: string): Promise<number> => (await rowsOf(db, table)).length;
  const until = async (is: () => Promise<boolean> | boolean): Promise<void> => {
    await expect.poll(is, { interval: 1, timeout: 10_000 }).toBe(true);
  };
  /** Resolves when the caretaker only waits for its next check. */
  const rests = (): Promise<void> => until(() => clock.pendingTimers === 1);
  const removed = (): Promise<void> => until(async () => (await count('removals')) === 0);
  const members = await open();
  return {
    db,
    clock,
    lines,
    asked,
    chat,
    guilds,
    watching,
    called,
    members,
    open,
    put,
    count,
    until,
    rests,
    removed,
  };
}

const remove = (members: Members, { userId }: Subject): Promise<void> =>
  members.privacy.remove(userId, { keepNeverSwap: false });

test('removals start when the chat is available, including earlier requests, and later requests start at once', async () => {
  const { members, put, count, called, removed, asked } = await usePlace();
  await put('jobs', ADA);
  await put('jobs', BEN);
  await remove(members, ADA);
  expect(called).toEqual([ADA.userId]);
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
  expect([await count('removals'), asked.length]).toEqual([1, 0]);
  members.start();
  await removed();
  expect(asked).toHaveLength(2);
  await remove(members, BEN);
  await removed();
  expect(asked).toHaveLength(4);
});

test('a removal that was requested in another process is done by the one with the chat within a quarter of an hour', async () => {
  const place = await usePlace();
  const other = await place.open();
  place.members.start();
  await place.rests();
  await place.put('jobs', ADA);
  await remove(other, ADA);
  await place.clock.advance(15 * MINUTE_MS);
  await place.removed();
  expect(place.asked).toHaveLength(2);
});

test('a removal that fails is tried again after growing pauses, and delays no other removal', async () => {
  const { clock, members, put, count, asked, chat, lines, until } = await usePlace();
  await put('jobs', ADA, { result_message_id: null });
  await put('jobs', BEN, { result_message_id: null });
  chat.answer = ({ messageId }) =>
    messageId.includes(ADA.userId) ? Promise.reject(new Error('No answer')) : Promise.resolve(true);
  members.start();
  await remove(members, ADA);
  await remove(members, BEN);
  await until(async () => (await count('removals')) === 1);
  const tries = () => asked.filter(({ messageId }) => messageId.includes(ADA.userId));
  for (let failed = 1; failed < 5; failed++) {
    while (tries().length === failed) {
      await clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(tries()).toHaveLength(failed + 1);
  }
  const pauses = tries().map(({ atMs }, index, all) => atMs - (all[index - 1]?.atMs ?? atMs));
  for (const [index, pause] of pauses.slice(1).entries())
    expect(pause).toBeGreaterThanOrEqual(500 * 2 ** index);
  expect(lines.some((line) => line.includes('will try again'))).toBe(true);
  chat.answer = () => Promise.resolve(true);
  await until(async () => {
    await clock.advance(MINUTE_MS);
    return (await count('removals')) === 0;
  });
});

test('a removal that exceeds one batch continues without a pause', async () => {
  const { members, put, removed, asked } = await usePlace();
  for (let index = 0; index <= 50; index++) {
    await put('jobs', { ...ADA, name: String(index) }, { result_message_id: null });
  }
  members.start();
  await remove(members, ADA);
  await removed();
  expect(asked).toHaveLength(51);
});

test('after a removal, the limits of its member that still apply are checked at once', async () => {
  const { members, put, removed, rests, until, count } = await usePlace();
  await put('cap_changes', ADA);
  members.start();
  await rests();
  await remove(members, ADA);
  await removed();
  await until(async () => (await count('gone_members')) === 0);
});

test('a removal that waits for a worker checks again within a second', async () => {
  const { clock, db, members, put, rests, until, removed, count } = await usePlace();
  members.start();
  await rests();
  await put('jobs', ADA, { lease_owner: 'worker', lease_until_ms: clock.now() + 60_000 });
  await remove(members, ADA);
  const dueInMs = async () => Number((await rowsOf(db, 'removals'))[0]?.['due_at_ms']) - clock.now();
  await until(async () => (await dueInMs()) === 1_000);
  // Waiting does not count as a failure: if a removal fails after a wait, it is soon tried again.
  expect(await rowsOf(db, 'removals')).toMatchObject([{ attempts: 0 }]);
  await rests();
  await db.kysely.updateTable('jobs').set({ lease_owner: null, lease_until_ms: null }).execute();
  await clock.advance(999);
  await rests();
  expect(await count('removals')).toBe(1);
  await clock.advance(1);
  await removed();
});

test('deletes old faces, ended limits and messages at the start and every quarter of an hour', async () => {
  const { clock, members, put, count, asked, rests, until, removed } = await usePlace();
  const fill = async (): Promise<void> => {
    const due_at_ms = clock.now();
    await put('faces', ADA, { state: 'deleted' });
    await put('gone_members', ADA, { due_at_ms });
    await put('undeleted_messages', ADA, { due_at_ms, noted_at_ms: due_at_ms });
  };
  const left = async (): Promise<number[]> =>
    Promise.all(['faces', 'gone_members', 'undeleted_messages'].map((table) => count(table)));
  await fill();
  members.start();
  for (const tries of [1, 2, 3]) {
    await until(async () => (await left()).every((rows) => rows === 0));
    expect(asked).toHaveLength(tries);
    await rests();
    await fill();
    await clock.advance(15 * MINUTE_MS - 1);
    await rests();
    expect(await left()).toEqual([1, 1, 1]);
    // A removal at this time deletes only its own messages. The chat is not asked to delete the other messages before
    // they are due.
    await remove(members, BEN);
    await removed();
    await rests();
    expect(await count('undeleted_messages')).toBe(1);
    await clock.advance(1);
  }
});

test('checks once a day which servers were left, records those that it learns of, and removes the data that is due', async () => {
  const { clock, members, guilds, watching, put, count, rests, until, removed } = await usePlace();
  await put('guild_rules', ADA);
  await put('guild_rules', BEN);
  members.start();
  await rests();
  expect(await count('departed_guilds')).toBe(0);
  for (const change of watching) change(BEN.guildId, false);
  await until(async () => (await count('departed_guilds')) === 1);
  for (const change of watching) change(BEN.guildId, true);
  await until(async () => (await count('departed_guilds')) === 0);

  guilds.isIn = (guildId) => guildId !== ADA.guildId;
  for (let quarter = 1; quarter < 96; quarter++) {
    await clock.advance(15 * MINUTE_MS);
    await rests();
  }
  expect(await count('departed_guilds')).toBe(0);
  await clock.advance(15 * MINUTE_MS);
  await until(async () => (await count('departed_guilds')) === 1);
  await rests();
  for (let quarter = 0; quarter < 96; quarter++) {
    await clock.advance(15 * MINUTE_MS);
    await rests();
  }
  await until(async () => (await count('guild_rules')) === 1);
  await removed();
  expect(await count('departed_guilds')).toBe(0);
});

test('a failed check is reported, and repeated a quarter of an hour later', async () => {
  const { clock, members, guilds, lines, put, count, rests, until } = await usePlace();
  await put('guild_rules', ADA);
  guilds.isIn = () => {
    throw new Error('The chat is away');
  };
  members.start();
  await until(() => lines.some((line) => line.includes('Cannot look')));
  await rests();
  guilds.isIn = () => false;
  await clock.advance(15 * MINUTE_MS);
  await until(async () => (await count('departed_guilds')) === 1);
});

test('does nothing more after it stops, and does not report a removal that was interrupted', async () => {
  const { clock, db, members, put, count, asked, chat, lines, watching, until } = await usePlace();
  await put('jobs', ADA);
  const answer = Promise.withResolvers<boolean>();
  chat.answer = () => answer.promise;
  members.start();
  await remove(members, ADA);
  await until(() => asked.length === 1);
  const stopped = members[Symbol.asyncDispose]();
  answer.reject(new Error('No answer'));
  await stopped;
  expect(clock.pendingTimers).toBe(0);
  await members[Symbol.asyncDispose]();

  // The next process continues at once.
  expect(await rowsOf(db, 'removals')).toMatchObject([{ due_at_ms: clock.now() }]);
  await clock.advance(DAY_MS);
  db.changes.notify('removals');
  expect([asked.length, await count('removals'), watching.size, clock.pendingTimers]).toEqual([1, 1, 0, 0]);
  expect(lines.filter((line) => line.includes('will try again'))).toEqual([]);
});

test('stops while it is idle', async () => {
  const { clock, members, watching, rests } = await usePlace();
  members.start();
  await rests();
  await members[Symbol.asyncDispose]();
  expect([clock.pendingTimers, watching.size]).toEqual([0, 0]);
});
