import { describe, expect, test } from 'vitest';
import { parseUsd, scaleMicros } from '../../../../src/base/money.ts';
import { spokenLength } from '../../../../src/bot/jobs/prices/spoken-length.ts';
import type { Capability } from '../../../../src/media-api/wire.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { json } from '../../../media-api/use-stub-api.ts';
import { usePipeline } from '../use-pipeline.ts';
import type { JobParameters } from '../../../../src/bot/jobs/job-request.ts';

const RATE = { rate_usd: 0.04, minimum_usd: 0.1 };
const CARD = {
  capabilities: [
    { feature: 'photo_swap', unit: 'image', ...RATE },
    ...['video_swap', 'identity_swap', 'motion_transfer', 'avatar', 'lip_sync'].map((feature) => ({
      feature,
      unit: 'second',
      ...RATE,
    })),
  ],
};

/** Returns the amount held for a command if the card has rates but no estimates: a quarter more than the price. */
async function heldFor(capability: Capability, parameters: JobParameters = {}): Promise<number> {
  const pipeline = await usePipeline({ start: false, limits: { clipSecondsDefault: 20 } });
  pipeline.script.pricing = [json(200, CARD)];
  await pipeline.jobs.start();
  const outcome = await pipeline.jobs.intake.accept({
    ...anOrigin({ receivedAtMs: pipeline.clock.now() }),
    capability,
    parameters,
    inputs: [],
  });
  if (!outcome.accepted) throw new Error(`Refused: ${outcome.refusal.reason}`);
  return outcome.held;
}

describe('what is held for a command', () => {
  test.each<[Capability, JobParameters, string]>([
    ['video_swap', {}, '1.00'],
    ['motion_transfer', {}, '1.00'],
    ['lip_sync', {}, '1.00'],
    ['avatar', {}, '1.00'],
  ])('goes by the seconds it will probably produce: %s of %o', async (capability, parameters, held) => {
    expect(await heldFor(capability, parameters)).toBe(parseUsd(held));
  });

  test('is the most that a script may cost when spoken slowly, letter by letter where that is possible', async () => {
    const script = 'The code is 4711 0815, and www.example.com knows the rest. '.repeat(10);
    const { likely, most } = spokenLength(script);

    expect(await heldFor('avatar', { script })).toBe(scaleMicros(parseUsd('0.04'), most));
    expect(most).toBeGreaterThan(likely * 1.25);
  });

  test.each<[Capability, JobParameters]>([
    ['photo_swap', {}],
    ['avatar', { script: 'Hi' }],
  ])('is at least the minimum price: %s of %o', async (capability, parameters) => {
    expect(await heldFor(capability, parameters)).toBe(parseUsd('0.125'));
  });

  test('is the same without a resolution as with the default one', async () => {
    const omitted = await heldFor('identity_swap');

    expect(await heldFor('identity_swap', { resolution: '1k' })).toBe(omitted);
    expect(omitted).toBeGreaterThan(0);
  });
});
