import { describe, expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { inputNotice } from '../../../../src/bot/discord/words/notices/input-notice.ts';
import { overrunAlertNotice } from '../../../../src/bot/discord/words/notices/alert-notices.ts';
import { failureNotice } from '../../../../src/bot/discord/words/notices/failure-notice.ts';
import type { Notice } from '../../../../src/bot/discord/words/notices/notice.ts';
import { refusalNotice } from '../../../../src/bot/discord/words/notices/refusal-notice.ts';
import { durationText, momentText, stageText } from '../../../../src/bot/discord/words/texts.ts';
import type { CapView } from '../../../../src/bot/money/caps/cap.ts';
import type { JobFailure } from '../../../../src/bot/jobs/cards.ts';
import type { InputProblem } from '../../../../src/bot/jobs/inputs/inputs.ts';
import type { AccessRefusal } from '../../../../src/bot/jobs/intake/refusals.ts';
import { type Capability, HTTP_ERROR_CODES, JOB_ERROR_CODES } from '../../../../src/media-api/wire.ts';

const CAP: CapView = {
  target: { kind: 'guild' },
  capability: null,
  limit: micros(5_000_000),
  posted: micros(4_900_000),
  pending: micros(50_000),
  left: micros(50_000),
  period: 'month',
  startsAtMs: Date.UTC(2026, 0, 1),
  resetsAtMs: Date.UTC(2026, 1, 1),
};

describe('the text of a refusal', () => {
  test('names the price, the amount to set aside, the budget, what is left of it, when it resets, and who can raise it', () => {
    const notice = refusalNotice({
      reason: 'budget',
      price: micros(160_000),
      needed: micros(200_000),
      cap: CAP,
    });

    expect(notice).toEqual({
      title: 'Not enough of the monthly budget left',
      happened:
        "This should cost **about $0.16**; until it is done, **$0.20** must be set aside. This server's monthly budget has only **$0.05** of **$5.00** left (**$0.05** is set aside for what is running).",
      next: 'It resets <t:1769904000:F> (<t:1769904000:R>). An admin can raise it with `/budget set`.',
    });
  });

  test('explains what to do while the bot is busy', () => {
    expect(refusalNotice({ reason: 'busy' }).next).toBe('Try again in a few minutes.');
  });

  test('says when a disabled feature is tried again', () => {
    const notice = refusalNotice({ reason: 'switched_off', againAtMs: 1_769_904_000_000 });

    expect(notice.happened).toBe('The media service has this feature switched off at the moment.');
    expect(notice.next).toContain('<t:1769904000:R>');
    expectReadable(notice);
  });
});

describe('the alert about a wait for a review', () => {
  const alert = {
    id: 'a',
    guildId: '3',
    userId: '77',
    capability: 'photo_swap',
    held: micros(50_000),
    charged: micros(200_000),
    madeAtMs: 0,
  };

  test('names both amounts, who has to review the charge, and the command', () => {
    expect(overrunAlertNotice(alert)).toEqual({
      title: 'New jobs of a member wait for a review',
      happened:
        '**$0.20** was charged for Photo Swap of <@77>, while **$0.05** was set aside. New jobs of that member wait until an admin or somebody who manages the budget has reviewed this charge.',
      next: '`/spend overruns` shows the charge and its cause. If it is fine, `/spend overruns release:` lets the member start jobs again.',
    });
  });

  test('names the option for members who deleted their data', () => {
    const { happened, next } = overrunAlertNotice({ ...alert, userId: 'gone_1' });

    expect(happened).toContain('of a member who deleted their data');
    expect(next).toContain('`/spend overruns gone:`');
  });
});

describe('the text of a rule', () => {
  const rules: AccessRefusal[] = [
    { rule: 'blocked' },
    { rule: 'capability' },
    { rule: 'channel', allowedIds: [] },
    { rule: 'channel', allowedIds: ['12', '13'] },
    { rule: 'role', neededIds: [] },
    { rule: 'role', neededIds: ['21'] },
    { rule: 'age_restricted' },
    { rule: 'cooldown', seconds: 90, endsAtMs: 1_769_904_000_000 },
    { rule: 'concurrent', max: 1 },
    { rule: 'concurrent', max: 3 },
    { rule: 'face_gone' },
    { rule: 'own_never_swap' },
    { rule: 'never_swap', ownerId: '31' },
    { rule: 'avatar_not_allowed', ownerId: '31' },
    { rule: 'owner_gone' },
  ];

  test.each(rules)('explains the rule and what can be done: $rule', (access) => {
    expectReadable(refusalNotice({ reason: 'access', access }));
  });

  test('names the allowed channels and roles, and when a wait ends', () => {
    const next = (access: AccessRefusal) => refusalNotice({ reason: 'access', access }).next;

    expect(next({ rule: 'channel', allowedIds: ['12', '13'] })).toBe('It may be used in <#12> and <#13>.');
    expect(next({ rule: 'role', neededIds: ['21'] })).toContain('<@&21>');
    expect(next({ rule: 'cooldown', seconds: 90, endsAtMs: 1_769_904_000_000 })).toBe(
      'You can start the next one <t:1769904000:R>.',
    );
  });
});

describe('the text of a problem with a file', () => {
  const problems: InputProblem[] = [
    { kind: 'missing' },
    { kind: 'empty' },
    { kind: 'too_large', sizeBytes: 52_428_800, sizeBytesMax: 47_185_920 },
    { kind: 'wrong_type', expected: 'image' },
    { kind: 'wrong_type', expected: 'audio' },
    { kind: 'wrong_type', expected: 'video' },
    { kind: 'undecodable' },
    { kind: 'unclear_length', because: 'edits' },
    { kind: 'unclear_length', because: 'speed' },
    { kind: 'unclear_length', because: 'twice' },
    { kind: 'unclear_length', because: 'sound' },
    { kind: 'too_complex' },
    { kind: 'too_many_pixels', megapixels: 120.2, megapixelsMax: 50 },
    { kind: 'not_text' },
    { kind: 'text_too_long', length: 5_001, lengthMax: 5_000 },
    { kind: 'unavailable' },
  ];

  test.each(problems)('names the option and the next step: $kind', (problem) => {
    const notice = inputNotice('face', problem);

    expect(notice.happened).toContain('`face`');
    expectReadable(notice);
  });

  test('names sizes and limits', () => {
    expect(
      inputNotice('image', { kind: 'too_large', sizeBytes: 52_428_800, sizeBytesMax: 47_185_920 }).happened,
    ).toBe('The file in `image` is 52 MB. The most allowed is 47 MB.');
    expect(
      inputNotice('script_file', { kind: 'too_large', sizeBytes: 70_000, sizeBytesMax: 65_536 }).happened,
    ).toBe('The file in `script_file` is 70 KB. The most allowed is 66 KB.');
    expect(
      inputNotice('image', { kind: 'too_many_pixels', megapixels: 120.2, megapixelsMax: 50 }).happened,
    ).toBe('The picture in `image` has 121 megapixels. The most allowed is 50.');
  });
});

describe('the text of a failed job', () => {
  test('is distinct for each of the five documented codes', () => {
    const notices = JOB_ERROR_CODES.map((code) => failureNotice({ reason: 'job', code }, 'photo_swap'));

    for (const notice of notices) expectReadable(notice);
    expect(new Set(notices.map((notice) => notice.happened)).size).toBe(JOB_ERROR_CODES.length);
    expect(new Set(notices.map((notice) => notice.next)).size).toBe(JOB_ERROR_CODES.length);
  });

  test('exists for every documented refusal of the service', () => {
    for (const code of HTTP_ERROR_CODES) {
      const notice = failureNotice({ reason: 'service_refused', code }, 'photo_swap');
      expectReadable(notice);
      expect(notice.happened).not.toContain(code);
    }
  });

  test.each<Capability>(['video_swap', 'identity_swap', 'avatar', 'lip_sync'])(
    'names the allowed values, whatever code a value out of range got: %s',
    (capability) => {
      const known = failureNotice({ reason: 'service_refused', code: 'invalid_input' }, capability);
      const unknown = failureNotice({ reason: 'service_refused', code: 'brand_new' }, capability);

      expect(unknown).toEqual(known);
      expect(known.next).toMatch(/`resolution` (480, 720 or 1080|1k or 2k)\.$/);
      expectReadable(known);
    },
  );

  test('names the largest length of a script', () => {
    const { next } = failureNotice({ reason: 'service_refused', code: 'brand_new' }, 'avatar');

    expect(next).toContain('`script` up to 5,000 characters');
  });

  test('does not confuse the balance of the operator with the budget of the server', () => {
    const notice = failureNotice({ reason: 'service_refused', code: 'insufficient_balance' }, 'photo_swap');

    expect(notice.happened).toContain("not your server's budget");
  });

  test.each<JobFailure>([
    { reason: 'job', code: 'brand_new' },
    { reason: 'service_refused', code: 'brand_new' },
  ])('shows a code that is newer than this program: $reason', (failure) => {
    expect(failureNotice(failure, 'photo_swap').happened).toContain('`brand_new`');
  });

  test.each(['constructor', '__proto__', '@everyone', '`x` <@1>', 'a'.repeat(41), ''])(
    'never shows a code that is not a plain word: %s',
    (code) => {
      const { happened } = failureNotice({ reason: 'job', code }, 'photo_swap');

      expect(happened).toMatch(/^The service could not finish this( \(`[a-z0-9_]+`\))?\.$/);
    },
  );

  test.each<JobFailure>([
    { reason: 'service_unreachable' },
    { reason: 'unconfirmed' },
    { reason: 'internal' },
    { reason: 'crashed' },
    { reason: 'result_lost' },
  ])('says how to continue: $reason', (failure) => expectReadable(failureNotice(failure, 'photo_swap')));
});

describe('small texts', () => {
  test.each([
    [0, '0.1 s'],
    [840, '0.8 s'],
    [960, '1 s'],
    [9_400, '9 s'],
    [59_600, '1 min'],
    [185_000, '3 min 5 s'],
    [3_600_000, '1 h'],
    [5_400_000, '1 h 30 min'],
  ])('shows %i ms as %s', (durationMs, text) => {
    expect(durationText(durationMs)).toBe(text);
  });

  test('counts the stages of a job', () => {
    expect(stageText({ stage: 'fetching' })).toBe('**Getting your files** (step 1 of 4)');
    expect(stageText({ stage: 'collecting' })).toBe('**Collecting the result** (step 4 of 4)');
    expect(stageText({ stage: 'queued', position: 3 })).toBe(
      "**Waiting in line**: number 3 in this server's line",
    );
    expect(stageText({ stage: 'queued', position: 1 })).toBe('**Waiting in line**: yours is next');
    expect(stageText({ stage: 'queued' })).toBe('**Waiting in line**');
  });

  test('writes times so that each reader sees their own time zone', () => {
    expect(momentText(1_769_904_000_999, 'R')).toBe('<t:1769904000:R>');
  });
});

/** Checks that a notice consists of short, whole sentences without technical terms. */
function expectReadable(notice: Notice): void {
  expect(notice.title).toMatch(/^[A-Z][^.]{3,40}$/);
  expect(notice.happened).toMatch(/^[A-Z].{10,150}\.$/);
  expect(notice.next).toMatch(/^[A-Z].{8,120}\.$/);
}
