import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { fastify } from 'fastify';
import type { WebSocketRoute } from 'playwright-core';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { linkIn, live, usageOf, useLiveCommunity } from '../../bot/sessions/live-swap/use-live-swap.ts';
import { alteredPicture, hasLabel, isAllGrey, untilShown } from './altered-picture.ts';
import { useClipAsCamera } from './fake-camera.ts';
import { looksGood } from './looks-good.ts';
import { closeBrowser, hasBrowser, openPage } from './use-browser.ts';
import { agrees, figure, goesLive, useOpenPage } from './use-live-page.ts';

useClipAsCamera('talking-man-640x360.mp4', 40);

/**
 * Simulates a page in a hidden tab, because headless Chromium has no hidden tabs. Timers run at most once a second,
 * and nothing is drawn.
 */
const HIDE = `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (act, ms, ...given) => setTimeout(act, Math.max(1_000, ms), ...given);
  globalThis.requestAnimationFrame = () => 0;
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}`;
const SHOW = `{
  delete document.hidden;
  document.dispatchEvent(new Event('visibilitychange'));
}`;

/** Makes decoding so slow that other events happen meanwhile. */
const SLOW_DECODING = `{
  const { createImageBitmap } = globalThis;
  globalThis.decoding = 0;
  globalThis.createImageBitmap = async (...given) => {
    decoding += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return createImageBitmap(...given).finally(() => (decoding -= 1));
  };
}`;

afterAll(closeBrowser);

describe.skipIf(!hasBrowser)('the page of a live swap', () => {
  test('shows the price, asks for consent, shows before and after with a label, and then the cost', async () => {
    const place = await useOpenPage();
    const { page, errors } = place;
    expect(new URL(page.url()).hash).toBe('');
    expect(await figure(page, 'Costs')).toContain('$0.30 a minute');
    expect(await figure(page, 'Description')).toBe('an elderly man');
    expect(await page.getByRole('button', { name: 'Agree' }).isDisabled()).toBe(true);
    await looksGood(page, 'live-asking');
    await agrees(page);
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
    await looksGood(page, 'live-ready');
    expect(place.faces.opened).toEqual([]);

    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await untilShown(page);
    const shown = await alteredPicture(page);
    await looksGood(page, 'live-live');
    const before = await page.evaluate('document.querySelector("video").videoWidth');
    await expect.poll(() => figure(page, 'Time left')).toMatch(/^4:\d\d$/);
    const description = await figure(page, 'Description');

    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('By the record of the service').waitFor();
    await looksGood(page, 'live-ended');
    const [record] = await usageOf(place);
    assert(record);

    expect([isAllGrey(shown), hasLabel(shown)]).toEqual([true, true]);
    expect(before).toBe(640);
    expect(description).toContain('[worn: an elderly man with grey hair]');
    expect(await figure(page, 'Cost')).toBe(`$${record.charged_usd.toFixed(6).replace(/0{1,4}$/, '')}`);
    expect(errors).toEqual([]);
  });

  test('says where to see the cost if it is not known in time', async () => {
    const { page } = await useOpenPage({
      bot: (usual) => ({
        ...usual,
        liveLimits: { ...usual.liveLimits, firstLookMs: 60_000 },
        liveSwapLimits: { chargeMs: 100 },
      }),
    });
    await goesLive(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('will be known in a moment').waitFor();
    await page.getByText('Use /spend in the chat').waitFor();

    expect(await figure(page, 'Cost, about')).toMatch(/^\$0\.\d+$/);
  });

  test('shows a large warning before a shorter grant is used up, and ends with it', async () => {
    const { page, errors } = await useOpenPage({ media: { grantLive: () => 8 } });
    await goesLive(page);
    await page.getByRole('alert').getByText('ends in less than a minute').waitFor();
    await page.getByText('granted 8 seconds of the 5 minutes').waitFor();
    await looksGood(page, 'live-warning');
    await page.getByText('The time that the media service granted is used up').waitFor();
    expect(await page.locator('video').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test('admits its member again, but nobody else who has the link', async () => {
    const { page, link } = await useOpenPage();
    const stranger = await openPage();
    await stranger.page.goto(link);
    await stranger.page.getByRole('heading', { name: 'This link does not work any more' }).waitFor();
    expect(await stranger.page.getByText('/live start').count()).toBe(1);
    await looksGood(stranger.page, 'live-gone');

    await page.reload();
    await page.getByRole('heading', { name: 'What will happen' }).waitFor();
    const again = await page.context().newPage();
    await again.goto(link);
    await again.getByRole('heading', { name: 'What will happen' }).waitFor();
    await page.getByRole('heading', { name: 'You opened this page again elsewhere' }).waitFor();
    await page.getByRole('button', { name: 'Use this page instead' }).click();
    await page.getByRole('heading', { name: 'What will happen' }).waitFor();
  });

  test('continues in another tab, and in the first one again, with the camera', async () => {
    const { page, link, faces } = await useOpenPage();
    await goesLive(page);
    const again = await page.context().newPage();
    await again.goto(link);
    await untilShown(again);
    await page.getByRole('button', { name: 'Use this page instead' }).click();
    await untilShown(page);
    await again.getByRole('heading', { name: 'You opened this page again elsewhere' }).waitFor();

    expect(faces.opened).toHaveLength(1);
    expect(faces.taken).toBe(1);
  });

  test('explains that it may not use the camera, and continues when it may', async () => {
    const { page } = await useOpenPage();
    // Chromium's fake permission prompt always grants permission; this script denies it once.
    await page.evaluate(`{
      const { mediaDevices } = navigator;
      mediaDevices.getUserMedia = () => {
        delete mediaDevices.getUserMedia;
        return Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
      };
    }`);
    await agrees(page);
    await page.getByRole('alert').getByText('may not use your camera').waitFor();
    await looksGood(page, 'live-no-camera');
    await page.getByRole('button', { name: /Open my camera|Try again/ }).click();
    await page.getByRole('button', { name: 'Start', exact: true }).waitFor();
  });

  test('runs below the prefix of a host, and in browsers without streams of pictures', async () => {
    const server = fastify();
    onTestFinished(() => server.close());
    const port = await freePort();
    const { ada, faces, ...place } = await useLiveCommunity({
      bot: (usual) => ({
        ...usual,
        http: { fastify: server, prefix: '/swap' },
        publicUrl: `http://127.0.0.1:${port}/swap`,
      }),
    });
    await server.listen({ host: '127.0.0.1', port });
    const { page, errors } = await openPage();
    await page.addInitScript('delete globalThis.MediaStreamTrackProcessor');
    const answer = await page.goto(linkIn(await live(ada, place, 'start', { minutes: 5 })));
    const headers = answer?.headers() ?? {};
    await goesLive(page);
    await expect.poll(async () => Number(await figure(page, 'Pictures a second'))).toBeGreaterThan(0);
    const shown = await alteredPicture(page);
    await page.close();
    await expect.poll(() => faces.taken, { timeout: 2_000 }).toBe(0);

    expect(new URL(page.url()).pathname).toBe('/swap/live/');
    expect(isAllGrey(shown)).toBe(true);
    expect(headers['permissions-policy']).toContain('camera=(self), microphone=()');
    expect(headers['content-security-policy']).not.toContain('unsafe');
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(errors).toEqual([]);
  });

  test('continues in a hidden tab', async () => {
    const { page } = await useOpenPage({
      bot: (usual) => ({ ...usual, liveSwapLimits: { silentMs: 2_000 } }),
    });
    await goesLive(page);
    await page.evaluate(HIDE);
    const rate = async (): Promise<number> => Number(await figure(page, 'Pictures a second'));
    const used = async (): Promise<number> => Number((await figure(page, 'Time used')).split(':')[1]);
    const usedThen = await used();
    await expect.poll(used).toBeGreaterThan(usedThen + 4);

    // Browsers let the timers of a hidden tab fire once a second.
    expect(await rate()).toBeGreaterThan(1);
    await page.evaluate('document.querySelector("canvas").getContext("2d").reset()');
    await page.evaluate(SHOW);
    await untilShown(page);
  });

  test('leaves no picture on the output at the end, even if one was still being decoded', async () => {
    const { page } = await useOpenPage();
    await agrees(page);
    await page.getByRole('button', { name: 'Make an address' }).click();
    const output = await openPage();
    await output.page.addInitScript(SLOW_DECODING);
    await output.page.goto(await page.getByLabel('Address of the output').inputValue());
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await untilShown(output.page);

    await page.getByRole('button', { name: 'Stop' }).click();
    await output.page.getByText('does not work any more').waitFor({ state: 'attached' });
    await expect.poll(() => output.page.evaluate('decoding')).toBe(0);

    expect((await alteredPicture(output.page)).data.some((value) => value > 0)).toBe(false);
  });

  test('shows OBS nothing but the picture, and reconnects by itself', async () => {
    const { page } = await useOpenPage();
    await agrees(page);
    await page.getByRole('button', { name: 'Make an address' }).click();
    const url = await page.getByLabel('Address of the output').inputValue();
    const output = await openPage();
    await output.page.addInitScript('window.obsstudio = {}');
    const connections: WebSocketRoute[][] = [];
    await output.page.routeWebSocket(/out\/socket/, (route) => {
      connections.push([route, route.connectToServer()]);
    });
    await output.page.goto(url);
    await expect.poll(() => connections.length).toBe(1);
    const ground = await output.page.evaluate('getComputedStyle(document.body).backgroundColor');
    const isSaid = await output.page.getByText('appears here when it is live').isVisible();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    await untilShown(output.page);
    await page.getByText('Looking now: 1').waitFor();
    for (const side of connections[0] ?? []) await side.close({ code: 3000 });
    await output.page.getByText('It is tried again by itself').waitFor({ state: 'attached' });
    await untilShown(output.page);
    await output.page.getByRole('heading', { name: 'AI-altered media' }).waitFor({ state: 'attached' });
    const shown = await alteredPicture(output.page);
    await looksGood(output.page, 'live-output');
    await page.getByRole('button', { name: 'Take back' }).click();
    await output.page.getByText('does not work any more').waitFor({ state: 'attached' });

    expect(connections).toHaveLength(2);
    expect([isAllGrey(shown), hasLabel(shown)]).toEqual([true, true]);
    expect([ground, isSaid]).toEqual(['rgba(0, 0, 0, 0)', false]);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
