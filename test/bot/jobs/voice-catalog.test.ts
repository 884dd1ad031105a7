import { describe, expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { VoiceCatalog } from '../../../src/bot/jobs/voice-catalog.ts';
import { type StubApi, json, refuse, useClient, useStubApi } from '../../media-api/use-stub-api.ts';

const voices = (...names: readonly string[]): ReturnType<typeof json> =>
  json(
    200,
    names.map((name) => ({ id: name, name, description: '', preview_url: '' })),
  );

async function useCatalog(stub: StubApi): Promise<{ catalog: VoiceCatalog; clock: FakeClock }> {
  const clock = new FakeClock();
  const catalog = new VoiceCatalog({ api: useClient(stub, { clock }), clock, log: silentLogger });
  onTestFinished(() => catalog[Symbol.asyncDispose]());
  return { catalog, clock };
}

describe('the catalogue of voices', () => {
  test('is unknown at first, then holds what the service offers', async () => {
    const { catalog } = await useCatalog(await useStubApi(voices('Ann', 'Bea')));

    expect(catalog.list).toBeNull();
    await catalog.start();

    expect(catalog.list?.map(({ name }) => name)).toEqual(['Ann', 'Bea']);
  });

  test('may be empty', async () => {
    const { catalog } = await useCatalog(await useStubApi(voices()));

    await catalog.start();

    expect(catalog.list).toEqual([]);
  });

  test('is read again every ten minutes, and stays while the service fails', async () => {
    const stub = await useStubApi(voices('Ann'));
    const { catalog, clock } = await useCatalog(stub);
    await catalog.start();
    const names = (): readonly string[] | undefined => catalog.list?.map(({ name }) => name);

    stub.script(refuse(400, 'invalid_input'));
    await clock.advance(600_000);
    await expect.poll(() => stub.arrivals()).toBe(2);
    expect(names()).toEqual(['Ann']);

    stub.script(voices('Bea'));
    await expect
      .poll(async () => {
        await clock.advance(30_000);
        return names();
      })
      .toEqual(['Bea']);
  });

  test('is read again when a chosen voice was refused, but not over and over', async () => {
    const stub = await useStubApi(voices('Ann'));
    const { catalog, clock } = await useCatalog(stub);
    await catalog.start();
    stub.script(voices('Bea'));

    catalog.renew();
    expect(stub.arrivals()).toBe(1);

    await clock.advance(30_000);
    catalog.renew();
    catalog.renew();
    await expect.poll(() => catalog.list?.[0]?.name).toBe('Bea');
    expect(stub.arrivals()).toBe(2);
  });
});
