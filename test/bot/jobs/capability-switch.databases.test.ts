import { describe, expect, test } from 'vitest';
import { json, refuse } from '../../media-api/use-stub-api.ts';
import { anOrigin } from '../../helpers/an-origin.ts';
import { type Pipeline, usePipeline } from './use-pipeline.ts';

const TAKEN = json(200, { id: 'srv_1', status: 'queued', status_url: '/api/v1/jobs/srv_1' });
const PROBE_MS = 300_000;

/** Creates a pipeline whose service has refused a job because the capability is not available. */
async function useSwitchedOff(): Promise<Pipeline> {
  const pipeline = await usePipeline();
  pipeline.script.submit = [refuse(400, 'capability_unavailable')];
  await pipeline.until(await pipeline.run('first'), 'settled');
  return pipeline;
}

describe('a capability that the service has switched off', () => {
  test('is reported to the member whose command discovered it, and that command costs nothing', async () => {
    const { publisher } = await useSwitchedOff();

    expect(publisher.cards).toMatchObject([
      { failure: { reason: 'service_refused', code: 'capability_unavailable' }, charged: 0 },
    ]);
  });

  test('is refused at once from then on, with nothing uploaded and nothing held', async () => {
    const pipeline = await useSwitchedOff();
    const { jobs, db, asked, clock } = pipeline;
    const before = { ...asked };

    await expect(pipeline.run('second')).rejects.toThrow('Refused: switched_off');
    const outcome = await jobs.intake.accept(aSwap('third', clock.now()));

    expect(outcome).toMatchObject({
      accepted: false,
      refusal: { reason: 'switched_off', againAtMs: expect.any(Number) },
    });
    expect(asked).toEqual(before);
    const { holds } = await db.kysely
      .selectFrom('holds')
      .select((eb) => eb.fn.countAll<number>().as('holds'))
      .executeTakeFirstOrThrow();
    expect(holds).toBe(1);
  });

  test('is requested by one command per interval', async () => {
    const pipeline = await useSwitchedOff();
    const { asked } = pipeline;
    await pipeline.later(PROBE_MS);

    const probe = await pipeline.run('probe');
    await expect(pipeline.run('beside')).rejects.toThrow('Refused: switched_off');
    await pipeline.until(probe, 'settled');
    await expect(pipeline.run('after')).rejects.toThrow('Refused: switched_off');

    expect(asked.submit).toBe(2);
  });

  test('works again by itself when the service accepts a job', async () => {
    const pipeline = await useSwitchedOff();
    const { script, publisher } = pipeline;
    script.submit = [TAKEN];
    await pipeline.later(PROBE_MS);

    await pipeline.until(await pipeline.run('probe'), 'submitted');
    const next = await pipeline.run('next').catch((error: unknown) => error);

    expect(next).toBeTypeOf('string');
    await expect.poll(() => publisher.cards.some((card) => card.kind === 'result')).toBe(true);
  });

  test('is tried again soon also when the clock is set back', async () => {
    const pipeline = await useSwitchedOff();
    pipeline.clock.shift(-86_400_000);

    await expect(pipeline.accept('probe')).resolves.toBeTypeOf('string');
    await expect(pipeline.accept('beside')).rejects.toThrow('Refused: switched_off');
  });

  test('does not switch the others off', async () => {
    const { jobs, clock } = await useSwitchedOff();

    const outcome = await jobs.intake.accept({ ...aSwap('other', clock.now()), capability: 'video_swap' });

    expect(outcome.accepted).toBe(true);
  });
});

describe('a lack of capacity, which the service reports with 502 and the same code', () => {
  test('is waited out, and switches nothing off', async () => {
    const pipeline = await usePipeline();
    const { script, asked, publisher } = pipeline;
    script.submit = [refuse(502, 'capability_unavailable'), TAKEN];

    await pipeline.until(await pipeline.run('first'), 'settled');

    expect(asked.submit).toBe(2);
    expect(publisher.cards).toMatchObject([{ kind: 'result' }]);
    await expect(pipeline.run('second')).resolves.toBeTypeOf('string');
  });

  test('is reported as a lack of room if it does not pass', async () => {
    const pipeline = await usePipeline({ limits: { prepareMsMax: 10_000, orphansMax: 100 } });
    const { script, publisher } = pipeline;
    script.upload = [refuse(502, 'capability_unavailable')];

    await pipeline.until(await pipeline.run('first'), 'settled', 10_000);

    expect(publisher.cards).toMatchObject([{ failure: { reason: 'service_refused', code: 'at_capacity' } }]);
  });
});

function aSwap(name: string, receivedAtMs: number): Parameters<Pipeline['jobs']['intake']['accept']>[0] {
  return {
    ...anOrigin({ interactionId: `interaction_${name}`, receivedAtMs }),
    capability: 'photo_swap',
    parameters: {},
    inputs: [],
  };
}
