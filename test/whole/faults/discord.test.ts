import { describe, expect, test } from 'vitest';
import { type Call, FAULTS, type FaultName, LASTING, faultOf, useTroubledChat } from './use-troubled-chat.ts';

/** A command's outcome for each way in which one Discord call fails. */
type Table = Readonly<Record<FaultName, string>>;

const CALLBACK: Call = { method: 'POST', route: '/interactions/:interactionId/:token/callback' };
const ORIGINAL = '/webhooks/:applicationId/:token/messages/:messageId';
const GET_ORIGINAL: Call = { method: 'GET', route: ORIGINAL };
const EDIT_ORIGINAL: Call = { method: 'PATCH', route: ORIGINAL };
const EDIT_MESSAGE: Call = { method: 'PATCH', route: '/channels/:channelId/messages/:messageId' };
const CREATE_MESSAGE: Call = { method: 'POST', route: '/channels/:channelId/messages' };
const LIST_MESSAGES: Call = { method: 'GET', route: '/channels/:channelId/messages' };

const TOKEN_OVER = { ...EDIT_ORIGINAL, ...FAULTS[50027], times: LASTING };
const MESSAGE_GONE = { ...EDIT_MESSAGE, ...FAULTS[10008], times: LASTING };
const CALLBACK_ANSWER_LOST = { ...CALLBACK, status: 'cut', moment: 'after' } as const;

const BOT_TOKEN_FAULTS = (Object.keys(FAULTS) as FaultName[]).filter((name) => name !== '50027');

describe.each<[string, Call, readonly object[], 'atStart' | 'atService', Partial<Table>]>([
  [
    'the acknowledgement',
    CALLBACK,
    [],
    'atStart',
    {
      '500 before': 'not done, nothing shown',
      '500 after': 'posted',
      429: 'posted',
      10003: 'not done, nothing shown',
      10008: 'not done, nothing shown',
      50001: 'not done, nothing shown',
      50013: 'not done, nothing shown',
      50027: 'not done, nothing shown',
      200000: 'not done, nothing shown',
    },
  ],
  [
    'the check whether a lost acknowledgement was shown',
    GET_ORIGINAL,
    [CALLBACK_ANSWER_LOST],
    'atStart',
    {
      '500 before': 'not done, and reported',
      '500 after': 'posted',
      429: 'posted',
      10003: 'not done, and reported',
      10008: 'not done, and reported',
      50001: 'not done, and reported',
      50013: 'not done, and reported',
      50027: 'not done, and reported',
      200000: 'not done, and reported',
    },
  ],
  [
    'the edit by the token of the interaction',
    EDIT_ORIGINAL,
    [],
    'atService',
    {
      '500 before': 'posted',
      '500 after': 'posted',
      429: 'posted',
      10003: 'kept',
      10008: 'posted',
      50001: 'kept',
      50013: 'kept',
      50027: 'posted',
      200000: 'kept',
    },
  ],
  [
    'the edit by the token of the bot',
    EDIT_MESSAGE,
    [TOKEN_OVER],
    'atService',
    {
      '500 before': 'posted',
      '500 after': 'posted',
      429: 'posted',
      10003: 'kept',
      10008: 'posted beside the old card',
      50001: 'kept',
      50013: 'kept',
      200000: 'kept',
    },
  ],
  [
    'the post in place of a deleted card',
    CREATE_MESSAGE,
    [TOKEN_OVER, MESSAGE_GONE],
    'atService',
    {
      '500 before': 'posted beside the old card',
      '500 after': 'posted beside the old card',
      429: 'posted beside the old card',
      10003: 'kept',
      10008: 'kept',
      50001: 'kept',
      50013: 'kept',
      200000: 'kept',
    },
  ],
  [
    'the search for an earlier post',
    LIST_MESSAGES,
    [TOKEN_OVER, MESSAGE_GONE],
    'atService',
    {
      '500 before': 'posted beside the old card',
      '500 after': 'posted beside the old card',
      429: 'posted beside the old card',
      10003: 'posted beside the old card',
      10008: 'posted beside the old card',
      50001: 'posted beside the old card',
      50013: 'posted beside the old card',
      200000: 'posted beside the old card',
    },
  ],
])('when %s fails', (_what, call, before, moment, expected) => {
  test('each command ends once, with at most one job and one charge', { timeout: 120_000 }, async () => {
    const chat = await useTroubledChat();
    const table: Record<string, string> = {};
    // Discord returns 50027 (invalid webhook token) only for interaction tokens, never for the bot's own token.
    const names = expected[50027] === undefined ? BOT_TOKEN_FAULTS : (Object.keys(expected) as FaultName[]);

    for (const name of names) {
      const arm = (): void => {
        for (const fault of [...before, faultOf(name, call)]) chat.sandbox.faults.failNext(fault);
      };
      table[name] = await chat.swap({ [moment]: arm });
    }

    expect(table).toEqual(expected);
    expect(chat.engine.begun).toHaveLength(chat.done());
    const { left, limit } = await chat.bot.budget(chat.guild.id);
    expect(limit - left).toBe(chat.done() * 40_000);
    chat.sandbox.takeViolations();
  });
});

describe('when the gateway fails', () => {
  test('each command ends once, and the next one is answered', { timeout: 120_000 }, async () => {
    const chat = await useTroubledChat();
    const { faults } = chat.sandbox;
    const table: Record<string, string> = {};

    table['duplicate interaction'] = await chat.swap({ atStart: () => faults.duplicateDispatch() });
    table['drop'] = await chat.swap({ atService: () => faults.dropGateway() });
    await chat.sandbox.botOnline();
    table['reconnect'] = await chat.swap({ atService: () => faults.askToReconnect() });
    await chat.sandbox.botOnline();
    table['session invalid, resumable'] = await chat.swap({
      atService: () => faults.invalidateSessions({ resumable: true }),
    });
    await chat.sandbox.botOnline();
    table['session invalid'] = await chat.swap({
      atService: () => faults.invalidateSessions({ resumable: false }),
    });
    await chat.sandbox.botOnline();
    table['nothing'] = await chat.swap({});

    expect(new Set(Object.values(table))).toEqual(new Set(['posted']));
    expect(chat.engine.begun).toHaveLength(6);
    chat.sandbox.takeViolations();
  });
});
