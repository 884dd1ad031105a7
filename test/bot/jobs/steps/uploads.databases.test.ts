import { describe, expect, test } from 'vitest';
import { picture } from '../../../media-server/test-engine.ts';
import { type Reply, drop, json, refuse } from '../../../media-api/use-stub-api.ts';
import { type InputBench, fromChat, image, submitAs, useInputs } from '../use-inputs.ts';

const PAIR = [image('image', fromChat('photo')), image('face', fromChat('face'))];

async function useTwoPictures(): Promise<InputBench> {
  return useInputs({ photo: await picture(80), face: await picture(60) });
}

async function statesOf({ db }: InputBench): Promise<string[]> {
  const rows = await db.kysely.selectFrom('uploads').select('state').orderBy('id').execute();
  return rows.map(({ state }) => state);
}

describe('an upload', () => {
  test('is made once for the same file of the same member', async () => {
    const bench = await useTwoPictures();

    await bench.command('a', { inputs: PAIR });
    await bench.command('b', { inputs: PAIR });
    await bench.command('c', { inputs: [image('image', fromChat('face')), image('face', fromChat('face'))] });

    expect(bench.asked.upload).toBe(2);
    expect(bench.submitted()).toEqual([
      { face_key: 'api/u1', image_key: 'api/u2' },
      { face_key: 'api/u1', image_key: 'api/u2' },
      { face_key: 'api/u1', image_key: 'api/u1' },
    ]);
  });

  test('is made again for another member, and after a day', async () => {
    const bench = await useTwoPictures();
    await bench.command('a', { inputs: PAIR });
    await bench.command('b', { userId: 'another', inputs: PAIR });
    expect(bench.asked.upload).toBe(4);
    await bench.later(25 * 3_600_000);
    await bench.command('c', { inputs: PAIR });
    expect(bench.asked.upload).toBe(6);
  });

  test('that the service no longer has is made again, once, for the same job under a new idempotency key', async () => {
    const bench = await useTwoPictures();
    await bench.command('a', { inputs: PAIR });
    bench.script.submit = [refuse(400, 'invalid_input'), submitAs('srv_2')];

    const jobId = await bench.command('b', { inputs: PAIR });

    expect(bench.asked).toMatchObject({ upload: 4, submit: 3 });
    expect(bench.submitted()[2]).toEqual({ face_key: 'api/u3', image_key: 'api/u4' });
    const keys = bench.received.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
    expect(new Set(keys).size).toBe(3);
    expect(await bench.row(jobId)).toMatchObject({ outcome: 'succeeded', service_job_id: 'srv_2' });
    expect((await statesOf(bench)).sort()).toEqual(['kept', 'kept', 'rejected', 'rejected']);
  });

  test('is not made a third time when the service refuses the new ones as well', async () => {
    const bench = await useTwoPictures();
    await bench.command('a', { inputs: PAIR });
    bench.script.submit = [refuse(400, 'invalid_input')];

    await bench.command('b', { inputs: PAIR });

    expect(bench.asked).toMatchObject({ upload: 4, submit: 3 });
    expect(bench.publisher.cards[1]).toMatchObject({
      failure: { reason: 'service_refused', code: 'invalid_input' },
      charged: 0,
    });
  });

  test('is not made again when an earlier submit may have left a job: no second key may make another', async () => {
    const bench = await useTwoPictures();
    await bench.command('a', { inputs: PAIR });
    bench.script.submit = [drop, drop, drop, drop, drop, refuse(400, 'invalid_input')];

    await bench.command('b', { inputs: PAIR });

    expect(bench.asked.upload).toBe(2);
    const keys = bench.received.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
    expect(new Set(keys).size).toBe(2);
  });

  test('is not repeated for a refusal when the job used no earlier file', async () => {
    const bench = await useTwoPictures();
    bench.script.submit = [refuse(400, 'invalid_input')];
    await bench.command('a', { inputs: PAIR });
    expect(bench.asked).toMatchObject({ upload: 2, submit: 1 });
  });

  test('that was sent whole and got no answer is made again, and noted as left behind', async () => {
    const bench = await useTwoPictures();
    const usual = bench.script.upload[0];
    const cut: Reply = async (request, _response, read) => {
      await read();
      request.socket.destroy();
    };
    bench.script.upload = [cut, ...(usual ? [usual] : [])];

    await bench.command('a', { inputs: PAIR });

    expect(bench.asked).toMatchObject({ upload: 3, submit: 1 });
    expect((await statesOf(bench)).sort()).toEqual(['kept', 'kept', 'orphan']);
  });

  test('that never gets an answer is given up after six tries, and nothing is charged', async () => {
    const bench = await useTwoPictures();
    bench.script.upload = [(request) => void request.socket.destroy()];

    await bench.command('a', { inputs: PAIR });

    expect(bench.asked).toMatchObject({ upload: 6, submit: 0 });
    expect(await statesOf(bench)).toEqual(Array.from({ length: 6 }, () => 'orphan'));
    expect(bench.publisher.cards).toMatchObject([{ failure: { reason: 'service_unreachable' }, charged: 0 }]);
  });

  test('has a key that is stored and sent back byte for byte', async () => {
    const bench = await useTwoPictures();
    const fileKey = 'api/a b%2F"ü"👋\n';
    bench.script.upload = [json(200, { file_key: fileKey, url: 'http://127.0.0.1/u' })];

    await bench.command('a', { inputs: PAIR });

    expect(bench.submitted()).toEqual([{ face_key: fileKey, image_key: fileKey }]);
  });
});
