import { describe, expect, test } from 'vitest';
import { ChannelMessages } from '../../../../src/sandbox/page/client/store/channel-messages.ts';
import type { PageMessages } from '../../../../src/sandbox/page/message-views.ts';
import { aMessage } from './a-message.ts';

function answer(more: boolean, ...ids: readonly number[]): PageMessages {
  return { messages: ids.map((id) => aMessage(id)), more };
}

/** Creates an answer that is pending until the test resolves it. */
function later(): {
  readonly asked: () => Promise<PageMessages>;
  readonly give: (came: PageMessages) => void;
} {
  const { promise, resolve } = Promise.withResolvers<PageMessages>();
  return { asked: () => promise, give: resolve };
}

async function loaded(...came: Parameters<typeof answer>): Promise<ChannelMessages> {
  const channel = new ChannelMessages();
  await channel.load(async () => answer(...came), { older: false });
  return channel;
}

function idsIn(channel: ChannelMessages): readonly number[] {
  return channel.known.value.messages.map(({ id }) => Number(id));
}

describe("a channel's messages", () => {
  test('a message written while an answer is pending is not lost', async () => {
    const channel = await loaded(false, 10, 11);
    const { asked, give } = later();
    const loading = channel.load(asked, { older: false });
    channel.take(aMessage(12));

    give(answer(false, 10, 11));
    await loading;

    expect(idsIn(channel)).toEqual([10, 11, 12]);
  });

  test('a message deleted or changed while an answer is pending stays so', async () => {
    const channel = new ChannelMessages();
    const { asked, give } = later();
    const loading = channel.load(asked, { older: false });
    channel.take(aMessage(10, { version: 2, deleted: true }));
    channel.take(aMessage(11, { version: 2, content: 'changed' }));

    give(answer(false, 10, 11));
    await loading;

    expect(idsIn(channel)).toEqual([11]);
    expect(channel.known.value.messages[0]?.content).toBe('changed');
  });

  test('a change of a message older than the loaded ones leaves no gap', async () => {
    const channel = await loaded(true, 50, 51);

    channel.take(aMessage(10, { version: 2 }));
    expect(idsIn(channel)).toEqual([50, 51]);

    await channel.load(async () => answer(false, 10, 49), { older: true });
    expect(idsIn(channel)).toEqual([10, 49, 50, 51]);
    expect(channel.known.value.more).toBe(false);
  });

  test('after an absence messages that no longer join the newest ones are dropped, and deleted ones are gone', async () => {
    const channel = await loaded(false, 10, 11, 12);

    await channel.load(async () => answer(false, 10, 12), { older: false });
    expect(idsIn(channel)).toEqual([10, 12]);

    await channel.load(async () => answer(true, 80, 81), { older: false });
    expect(idsIn(channel)).toEqual([80, 81]);
    expect(channel.known.value.more).toBe(true);
  });

  test('at most a thousand messages are kept when new ones arrive', async () => {
    const channel = await loaded(false, ...Array.from({ length: 1_000 }, (_, index) => index + 1));

    channel.take(aMessage(1_001));

    expect(idsIn(channel)).toHaveLength(1_000);
    expect(idsIn(channel)[0]).toBe(2);
    expect(channel.known.value.more).toBe(true);
  });
});
