import { describe, expect, test } from 'vitest';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { setCap } from '../../money/caps/set-cap.ts';
import { json } from '../../../media-api/use-stub-api.ts';
import { taggedMedia } from '../../media/tagged-media.ts';
import { picture } from '../../../media-server/test-engine.ts';
import { type InputBench, fromChat, image, useInputs } from '../use-inputs.ts';

/** A rate card with one dollar per second of output, at least ten cents per job, and no estimates from the service. */
const CARD = {
  version: 1,
  currency: 'USD',
  capabilities: [
    { endpoint: 'face-swap', feature: 'video_swap', unit: 'second', rate_usd: 0.1, minimum_usd: 0.01 },
  ],
};
const INPUTS = [
  { field: 'video_key', option: 'video', kind: 'video', source: fromChat('clip') } as const,
  image('face', fromChat('face')),
];

async function useClip(limits: object = {}): Promise<InputBench> {
  const files = { clip: await taggedMedia('mp4'), face: await picture(60) };
  const bench = await useInputs(files, { start: false, limits: { clipSecondsDefault: 30, ...limits } });
  bench.script.pricing = [json(200, CARD)];
  await bench.jobs.start();
  return bench;
}

async function setBudget({ db }: InputBench, dollars: number): Promise<void> {
  await setCap(db.kysely, { guildId: '3', period: 'month', limit: dollars * 1_000_000 });
}

async function holdsOf({ db }: InputBench, jobId: string): Promise<[string, string, string, number][]> {
  const entries = await db.kysely
    .selectFrom('ledger_entries')
    .selectAll()
    .where('subject', '=', jobId)
    .orderBy('id')
    .execute();
  return entries.map((one) => [one.kind, one.credit_account, one.debit_account, one.amount_micros]);
}

describe('the amount set aside for a clip', () => {
  test('depends on its length as soon as that is known', async () => {
    const bench = await useClip();

    const jobId = await bench.command('a', { capability: 'video_swap', inputs: INPUTS });

    const [first, second] = await holdsOf(bench, jobId);
    expect(first).toEqual(['hold', 'budget', 'pending', 3_750_000]);
    // The hold covers the price of about one second, plus a quarter.
    expect(second?.slice(0, 3)).toEqual(['adjustment', 'pending', 'budget']);
    const { hold_micros: held } = await bench.row(jobId);
    expect(held).toBeGreaterThan(100_000);
    expect(held).toBeLessThan(150_000);
    expect((await bench.hold(jobId)).amount_micros).toBe(held);
  });

  test('may grow, and a job that then does not fit the budget ends before anything is uploaded', async () => {
    const bench = await useClip({ clipSecondsDefault: 0.2 });
    await setBudget(bench, 0.05);

    const jobId = await bench.command('a', { capability: 'video_swap', inputs: INPUTS });

    expect(bench.asked).toMatchObject({ upload: 0, submit: 0 });
    expect(bench.publisher.cards).toMatchObject([
      {
        failure: {
          reason: 'budget',
          price: expect.any(Number),
          needed: expect.any(Number),
          lengths: [{ of: 'video', durationMs: expect.any(Number) }],
          // The amount left does not include the amount that is already set aside for this job.
          cap: { target: { kind: 'guild' }, limit: 50_000, pending: 0, left: 50_000 },
        },
        charged: 0,
      },
    ]);
    expect(await bench.hold(jobId)).toMatchObject({ state: 'voided', charged_micros: 0 });
  });

  test('is shown beside the price if it does not fit, and no price is shown for an unknown length', async () => {
    const bench = await useClip();
    await setBudget(bench, 1);
    const swap = { ...anOrigin(), capability: 'video_swap', parameters: {}, inputs: INPUTS } as const;

    expect(await bench.jobs.intake.accept(swap)).toMatchObject({
      refusal: { reason: 'budget', price: null, needed: 3_750_000, cap: { left: 1_000_000 } },
    });
    const picture = { ...swap, capability: 'photo_swap' } as const;
    await setBudget(bench, 0.01);
    expect(await bench.jobs.intake.accept(picture)).toMatchObject({
      refusal: { reason: 'budget', price: 100_000, needed: 100_000, cap: { left: 10_000 } },
    });
  });

  test('is refused for a clip longer than allowed', async () => {
    const bench = await useClip({ inputSecondsMax: { audio: 600, video: 0.5 } });

    await bench.command('a', { capability: 'video_swap', inputs: INPUTS });

    expect(bench.asked.upload).toBe(0);
    expect(bench.publisher.cards).toMatchObject([
      { failure: { option: 'video', problem: { kind: 'too_long', durationSecondsMax: 0.5 } } },
    ]);
  });
});
