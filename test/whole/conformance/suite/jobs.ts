import { describe, expect, test } from 'vitest';
import { parseUsd } from '../../../../src/base/money.ts';
import { ENDPOINT, JOB_ERROR_CODES, wireSubmitted } from '../../../../src/media-api/wire.ts';
import { assertRefused } from '../caller.ts';
import { JOB_CASES, type JobCase, bodyOf, isUnavailable, pollToEnd, readSubmitted, submit } from '../jobs.ts';
import { keyOf } from '../media.ts';
import type { Target } from '../target.ts';
import { readBalance, readSummary, readUsage } from './reads.ts';

const HAS_RESOLUTION_P = ['video_swap', 'avatar', 'lip_sync'];

/** Tests the six job capabilities from submission to charge. These tests cost as much as six small jobs. */
export function jobsSuite(target: () => Target): void {
  describe.each(JOB_CASES.map((each) => [each.feature, each] as const))('%s', (feature, each) => {
    test('refuses malformed bodies as invalid_input', async ({ skip }) => {
      const body = await bodyOf(target(), each);
      for (const wrong of malformed(each)) {
        const answer = await submit(target(), feature, { ...body, ...wrong });
        if (isUnavailable(answer)) return skip('the capability is switched off');
        assertRefused(answer, 400, 'invalid_input');
      }
    });

    test('renders, is charged, and is reported consistently everywhere', async ({ skip }) => {
      const answer = await submit(target(), feature, await bodyOf(target(), each));
      if (isUnavailable(answer)) return skip('the capability is switched off');
      const submitted = readSubmitted(answer);
      const job = await pollToEnd(target(), submitted);
      expect(job).toMatchObject({ id: submitted.id, status: 'succeeded', error: null });
      expect(job.charged_usd).toBeGreaterThan(0);
      const output = await target().anonymous.get(job.output_url ?? '');
      expect([output.status, output.headers.get('content-type')]).toEqual([
        200,
        expect.stringMatching(each.outputType),
      ]);
      expect(output.bytes.length).toBeGreaterThan(0);
      const record = (await readUsage(target(), '?limit=500')).find(({ id }) => id === submitted.id);
      const { charged_usd: charged } = job;
      expect(record).toMatchObject({
        endpoint: ENDPOINT[feature],
        feature,
        status: 'succeeded',
        charged_usd: charged,
      });
    });
  });

  describe('photo_swap in particular', () => {
    test('a file that is not a picture fails the job, which costs nothing', async ({ skip }) => {
      const body = {
        image_key: await keyOf(target(), 'portrait'),
        face_key: await keyOf(target(), 'broken'),
      };
      const answer = await submit(target(), 'photo_swap', body);
      if (isUnavailable(answer)) return skip('the capability is switched off');
      const job = await pollToEnd(target(), readSubmitted(answer));
      expect(job).toMatchObject({ status: 'failed', output_url: null, charged_usd: 0 });
      expect(JOB_ERROR_CODES).toContain(job.error?.code);
    });

    test('equal submits under one key make one job and one charge, simultaneously and later', async ({
      skip,
    }) => {
      const body = await bodyOf(target(), photoSwap());
      const key = { 'idempotency-key': `conformance-${crypto.randomUUID()}` };
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => submit(target(), 'photo_swap', body, key)),
      );
      if (answers.some(isUnavailable)) return skip('the capability is switched off');
      const ids = new Set(answers.map(({ json }) => wireSubmitted.parse(json).id));
      expect(ids.size).toBe(1);
      const [first] = answers;
      if (first) await pollToEnd(target(), wireSubmitted.parse(first.json));
      const replay = await submit(target(), 'photo_swap', body, key);
      expect([replay.status, ids.has(wireSubmitted.parse(replay.json).id)]).toEqual([200, true]);
      const records = await readUsage(target(), '?limit=500');
      expect(records.filter(({ id }) => ids.has(id))).toHaveLength(1);
    });

    test('the charge of a job is deducted from the balance and appears in the summary, to the micro-dollar', async ({
      skip,
    }) => {
      const before = { balance: await readBalance(target()), summary: await readSummary(target()) };
      const answer = await submit(target(), 'photo_swap', await bodyOf(target(), photoSwap()));
      if (isUnavailable(answer)) return skip('the capability is switched off');
      const job = await pollToEnd(target(), readSubmitted(answer));
      const after = { balance: await readBalance(target()), summary: await readSummary(target()) };
      const charged = parseUsd(job.charged_usd ?? 0);
      const change = (from: number, to: number): number => parseUsd(to) - parseUsd(from);
      expect([
        change(after.balance.balance_usd, before.balance.balance_usd),
        change(before.balance.total_spent_usd, after.balance.total_spent_usd),
        change(before.summary.total_spent_usd, after.summary.total_spent_usd),
        after.summary.succeeded - before.summary.succeeded,
      ]).toEqual([charged, charged, charged, 1]);
    });
  });
}

function photoSwap(): JobCase {
  const [each] = JOB_CASES;
  if (!each) throw new TypeError('There is no such case');
  return each;
}

/** Returns bodies with one error each. */
function malformed({ feature, inputs }: JobCase): readonly object[] {
  const keys = Object.keys(inputs).flatMap((field) => [
    { [field]: 'https://example.com/a' },
    { [field]: undefined },
  ]);
  const resolutions = [481, '720', 720.5].map((value) => ({ output_resolution_p: value }));
  return [
    ...keys,
    ...(HAS_RESOLUTION_P.includes(feature) ? resolutions : []),
    ...(feature === 'identity_swap' ? [{ resolution: '4k' }] : []),
    ...(feature === 'avatar' ? [{ script: undefined }, { voice_id: 'nobody' }] : []),
  ];
}
