import { DiscordAPIError, HTTPError } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { judgeRestError, withoutRequest } from '../../../../src/bot/discord/wire/rest-verdict.ts';

const URL_WITH_TOKEN = 'https://discord.com/api/v10/webhooks/1/SECRET/messages/@original';

function answered(status: number, code: number): Error {
  const request = { body: { content: 'SECRET' }, files: [] };
  return new DiscordAPIError({ code, message: 'Words' }, code, status, 'PATCH', URL_WITH_TOKEN, request);
}

describe('judgeRestError', () => {
  test.each([
    [403, 50001, 'missing_access'],
    [403, 50013, 'missing_permission'],
    [404, 10003, 'channel_gone'],
    [404, 10004, 'guild_gone'],
    [403, 50007, 'cannot_message_user'],
    [403, 50278, 'no_shared_guild'],
    [400, 200000, 'blocked_by_automod'],
    [400, 20009, 'explicit_content'],
    [413, 40005, 'too_large'],
    [413, 0, 'too_large'],
    [400, 50035, 'refused_50035'],
    [404, 0, 'refused_http_404'],
  ])('treats %i with code %i as final', (status, code, reason) => {
    expect(judgeRestError(answered(status, code))).toEqual({ kind: 'refused', reason });
  });

  test.each([
    [404, 10008],
    [400, 30046],
    [400, 50083],
  ])('looks for another message after %i with code %i', (status, code) => {
    expect(judgeRestError(answered(status, code))).toMatchObject({ kind: 'uneditable' });
  });

  test.each([
    [401, 50027],
    [404, 10015],
  ])('treats %i with code %i as the end of the interaction', (status, code) => {
    expect(judgeRestError(answered(status, code))).toEqual({ kind: 'token_dead' });
  });

  test.each([
    answered(429, 0),
    answered(401, 0),
    new HTTPError(503, 'Service Unavailable', 'PATCH', URL_WITH_TOKEN, {}),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    new DOMException('Aborted', 'AbortError'),
    'not even an error',
  ])('treats everything else as worth a retry', (error) => {
    expect(judgeRestError(error)).toEqual({ kind: 'unreachable' });
  });
});

describe('withoutRequest', () => {
  test('keeps the answer and removes the token and the content', () => {
    const error = withoutRequest(answered(403, 50013), 'publish a card');

    expect(error.message).toBe('Cannot publish a card: Discord answered 403, code 50013');
    expect(JSON.stringify([error, error.stack, error.cause ?? null])).not.toContain('SECRET');
  });

  test('reports when Discord could not be reached', () => {
    const error = withoutRequest(new TypeError('fetch failed'), 'publish a card');

    expect(error.code).toBe('unreachable');
    expect(error.message).toBe('Cannot publish a card: Discord could not be reached (TypeError)');
  });
});
