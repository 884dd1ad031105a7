import { expect, test } from 'vitest';
import { listUndeleted, noteUndeleted } from '../../../../db/queries/undeleted-messages.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { retryUndeleted } from '../../../../src/bot/people/members/retry-undeleted.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { useCommunity } from '../../../helpers/use-community.ts';
import { deletes, swap, untilRemoved } from './use-deletion.ts';
import type { PostedMessage } from '../../../../src/bot/jobs/job-publisher.ts';

const DAY_MS = 86_400_000;

test('a message that the bot is not allowed to delete is shown to its member', async () => {
  const place = await useCommunity();
  const { ada, guild, general, sandbox } = place;
  const lobby = guild.addTextChannel('lobby');
  const posted = await swap(ada, place);
  general.forbids('bot', 'VIEW_CHANNEL');

  await deletes({ ...place, general: lobby });
  await untilRemoved(place);
  const seen = await (await ada.runs('/privacy see', { in: lobby })).replied();

  expect(posted.deleted).toBe(false);
  expect(seen.text).toContain('**Messages that could not be deleted**: 1.');
  expect(seen.text).toContain(`https://discord.com/channels/${guild.id}/${general.id}/${posted.id}`);
  sandbox.takeViolations();
});

test('a message that could not be deleted is tried again once a day, one channel at a time, and dropped after 30 days', async () => {
  const db = await useDatabase();
  const clock = new FakeClock();
  const asked: string[] = [];
  let mayDelete = (_message: PostedMessage): boolean | Error => false;
  const publisher = {
    remove(message: PostedMessage): Promise<boolean> {
      asked.push(message.messageId);
      const may = mayDelete(message);
      return may instanceof Error ? Promise.reject(may) : Promise.resolve(may);
    },
  };
  const retry = (): Promise<void> =>
    retryUndeleted({ db, clock, log: silentLogger, publisher }, new AbortController().signal);
  const left = async (): Promise<string[]> =>
    (await listUndeleted(db.kysely, '5', 10)).map((row) => row.message_id).toSorted();
  for (const [channel_id, messageIds] of [
    ['1', ['11', '12']],
    ['2', ['21']],
    ['3', ['31']],
  ] as const) {
    const of = { guild_id: '9', channel_id, user_id: '5' };
    await noteUndeleted(db.kysely, of, { messageIds, nowMs: clock.now() });
  }

  await retry();
  expect(asked).toEqual([]);
  await clock.advance(DAY_MS);
  mayDelete = ({ channelId }) => (channelId === '3' ? new Error('No answer') : channelId === '2');
  await retry();
  // Once the deletion of one message is refused, the other messages in that channel are not tried.
  expect(asked.toSorted()).toEqual([expect.stringMatching(/^1[12]$/), '21', '31']);
  expect(await left()).toEqual(['11', '12', '31']);

  await clock.advance(DAY_MS);
  mayDelete = () => true;
  await retry();
  expect(await left()).toEqual([]);

  await noteUndeleted(
    db.kysely,
    { guild_id: '9', channel_id: '1', user_id: '5' },
    {
      messageIds: ['13'],
      nowMs: clock.now(),
    },
  );
  mayDelete = () => false;
  for (let day = 0; day < 30; day++) {
    await clock.advance(DAY_MS);
    await retry();
  }
  expect(await left()).toEqual(['13']);
  await clock.advance(1);
  await retry();
  expect(await left()).toEqual([]);
});

const CHANNELS_AT_ONCE_MAX = 50;
const HOUR_MS = 3_600_000;

async function useUndeleted() {
  const db = await useDatabase();
  const clock = new FakeClock();
  const asked: string[] = [];
  const stopping = new AbortController();
  const chat = { answer: (_message: PostedMessage): Promise<boolean> => Promise.resolve(false) };
  const publisher = {
    remove(message: PostedMessage): Promise<boolean> {
      asked.push(message.messageId);
      return chat.answer(message);
    },
  };
  const note = (channel_id: string, messageIds: readonly string[]): Promise<void> =>
    noteUndeleted(db.kysely, { guild_id: '9', channel_id, user_id: '5' }, { messageIds, nowMs: clock.now() });
  /** Retries once. Returns the requests that the chat receives. */
  const retry = async (): Promise<readonly string[]> => {
    asked.length = 0;
    await retryUndeleted({ db, clock, log: silentLogger, publisher }, stopping.signal);
    return [...asked];
  };
  return { db, clock, chat, stopping, note, retry };
}

test('tries again a day after the chat refused to delete a message, and an hour after it did not answer', async () => {
  const { clock, chat, note, retry } = await useUndeleted();
  await note('1', ['11']);
  await note('2', ['21']);
  chat.answer = ({ channelId }) =>
    channelId === '1' ? Promise.resolve(false) : Promise.reject(new Error('No answer'));
  for (const [passMs, asked] of [
    [DAY_MS - 1, []],
    [1, ['11', '21']],
    [HOUR_MS - 1, []],
    [1, ['21']],
    [22 * HOUR_MS, ['21']],
    [HOUR_MS - 1, []],
    [1, ['11', '21']],
  ] as const) {
    await clock.advance(passMs);
    expect((await retry()).toSorted()).toEqual(asked);
  }
});

test('stops after a number of channels that refuse, starts with those that have waited longest, and deletes all it may', async () => {
  const { clock, chat, note, retry } = await useUndeleted();
  for (let channel = CHANNELS_AT_ONCE_MAX + 1; channel > 0; channel--) {
    await note(String(channel), [`of ${channel}`]);
    await clock.advance(1);
  }
  await clock.advance(DAY_MS);
  expect(await retry()).toEqual(Array.from({ length: 50 }, (_, index) => `of ${51 - index}`));
  expect(await retry()).toEqual(['of 1']);
  await clock.advance(DAY_MS);
  chat.answer = () => Promise.resolve(true);
  expect(await retry()).toHaveLength(CHANNELS_AT_ONCE_MAX + 1);
  await clock.advance(DAY_MS);
  expect(await retry()).toEqual([]);
});

test('a message that is recorded twice is stored once, and one that is requested while the bot stops stays due', async () => {
  const { db, clock, chat, stopping, note, retry } = await useUndeleted();
  await note('1', ['11']);
  await clock.advance(DAY_MS);
  await note('1', ['11']);
  await note('1', []);
  chat.answer = () => {
    stopping.abort();
    return Promise.reject(new Error('The bot stops'));
  };
  expect(await retry()).toEqual(['11']);
  expect(await listUndeleted(db.kysely, '5', 10)).toMatchObject([{ due_at_ms: clock.now() }]);
  expect(await retry()).toEqual([]);
});
