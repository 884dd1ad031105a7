import { describe, expect, test } from 'vitest';
import { withText } from '../../../../src/sandbox/page/client/store/remembered.ts';
import { Unread } from '../../../../src/sandbox/page/client/store/unread.ts';
import { aMessage } from './a-message.ts';

/** Creates the unread state of a member for whom messages count as unread from 100 ms after the epoch. */
function useUnread(): Unread {
  const unread = new Unread();
  unread.begin(100);
  return unread;
}

describe('the unread messages of a member', () => {
  test('are messages that others write elsewhere, until the member looks there', () => {
    const unread = useUnread();
    unread.wrote(aMessage(101), false);
    unread.wrote(aMessage(102, { channel_id: '7' }), true);
    expect([...unread.channelIds.value]).toEqual(['9']);

    unread.seen('9');
    expect([...unread.channelIds.value]).toEqual([]);
    unread.wrote(aMessage(103), false);
    expect([...unread.channelIds.value]).toEqual(['9']);
  });

  test('exclude changes of earlier messages, and deleted messages', () => {
    const unread = useUnread();
    unread.wrote(aMessage(99, { version: 2 }), false);
    unread.wrote(aMessage(105, { deleted: true }), false);
    expect([...unread.channelIds.value]).toEqual([]);

    unread.wrote(aMessage(110), true);
    unread.wrote(aMessage(110, { version: 2 }), false);
    unread.wrote(aMessage(106, { version: 3 }), false);
    expect([...unread.channelIds.value]).toEqual([]);
  });
});

describe('data that survives a reload', () => {
  test('is the latest fifty entries of each kind, without empty ones', () => {
    const many = Array.from({ length: 60 }, (_, index) => `channel ${index}`);
    const kept = many.reduce<Readonly<Record<string, string>>>(
      (texts, name) => withText(texts, name, 'x'),
      {},
    );
    expect(Object.keys(kept)).toEqual(many.slice(10));

    const changed = withText(withText(kept, 'channel 10', 'y'), 'channel 11', '');
    expect(Object.keys(changed).at(-1)).toBe('channel 10');
    expect(Object.keys(changed)).toHaveLength(49);
  });
});
