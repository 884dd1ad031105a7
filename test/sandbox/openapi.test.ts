import { describe, expect, test } from 'vitest';
import type { Exchange } from '../../src/sandbox/rest-exchange.ts';
import { DescriptionCheck, hasDescription } from './openapi.ts';

const gateway: Exchange = {
  method: 'GET',
  path: '/gateway',
  route: '/gateway',
  durationMs: 1,
  query: {},
  requestBody: undefined,
  files: [],
  status: 200,
  responseBody: { url: 'ws://127.0.0.1:1' },
  injected: false,
};
const command: Exchange = {
  ...gateway,
  method: 'POST',
  path: '/channels/111111111111111111/messages',
  requestBody: { content: 'x' },
  status: 404,
  responseBody: { message: 'Unknown Channel', code: 10003 },
};
const accepted: Exchange = { ...command, status: 200, injected: true };

describe.skipIf(!hasDescription)("Discord's description (skipped where ../shared/discord is absent)", () => {
  test.each([
    ['a missing property of an answer', { ...gateway, responseBody: {} }, /must have required property/],
    ['an answer of the wrong type', { ...gateway, responseBody: { url: 1 } }, /\/url: must be string/],
    ['an unknown property of an answer', { ...gateway, responseBody: { url: 'ws://a', urk: 1 } }, /\/urk/],
    ['an unknown query parameter', { ...gateway, query: { x: '1' } }, /query parameter "x"/],
    ['an unknown path', { ...gateway, path: '/gateways' }, /not in the description/],
    ['a status without a description', { ...gateway, status: 201 }, /status 201/],
    [
      'an error without a code',
      { ...command, responseBody: { message: 'x' } },
      /must have required property/,
    ],
    ['a typo in a request', { ...accepted, requestBody: { contnet: 'x' } }, /\/contnet: no such property/],
    [
      '11 embeds',
      { ...accepted, requestBody: { embeds: Array.from({ length: 11 }, () => ({})) } },
      /\/embeds/,
    ],
    ['a wrong component', { ...accepted, requestBody: { components: [{ type: 99 }] } }, /\/components/],
  ] satisfies [string, Exchange, RegExp][])('the check detects %s', (_name, exchange, problem) => {
    expect(new DescriptionCheck().check(exchange).join('\n')).toMatch(problem);
  });

  test('the check accepts correct exchanges', () => {
    const check = new DescriptionCheck();
    expect([gateway, command, accepted].flatMap((exchange) => check.check(exchange))).toEqual([]);
  });
});
