import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { energyEnvelope } from '../../src/audio/energy-envelope.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { openDatabase } from '../../db/database.ts';
import { CpuVoiceSwap } from '../../src/media-server/engine/voice/cpu-voice-swap.ts';
import { TestEngine } from '../media-server/test-engine.ts';
import { type VoiceCommunity, panelIn, starts, useVoiceCommunity } from '../voice/use-voice-community.ts';
import {
  closeBrowser,
  hasBrowser,
  openPage,
  screenshot,
  seriousFaults,
  startBrowser,
} from './use-browser.ts';

const SAMPLES = join(import.meta.dirname, '../samples');
const PATIENCE = { timeout: 20_000 };

beforeAll(async () => {
  if (!hasBrowser) return;
  await startBrowser([`--use-file-for-fake-audio-capture=${join(SAMPLES, 'speech-man-48k.wav')}`]);
});
afterAll(closeBrowser);

describe.skipIf(!hasBrowser)('a call on the chat page', () => {
  test('a member speaks by the microphone, and hears the own voice converted', async () => {
    const place = await useConvertingCommunity();
    const { page, errors } = await openHall(place);
    await page.getByRole('button', { name: 'Join with microphone' }).click();
    await page.getByRole('button', { name: 'Mute' }).first().waitFor();
    const bot = { id: place.bot.client.user?.id ?? '' };
    await expect.poll(() => place.hall.voice.packetsOf(place.ada).length, PATIENCE).toBeGreaterThan(25);
    await page.getByText('speaking').first().waitFor();

    const asked = await starts(place, { voice: 'voice:bright-woman' });
    await place.ada.presses('I agree', { on: asked });
    const panel = await panelIn(place);
    await expect.poll(() => panel.text, PATIENCE).toContain(' · on, ends ');
    await page.getByText('Converted', { exact: true }).click();
    place.hall.voice.forgets();
    await page.waitForTimeout(4000);
    await screenshot(page, 'chat-voice');
    console.log(
      'DBG',
      errors,
      place.hall.voice.packetsOf(bot).length,
      place.ada.voice.packetsOf(bot, place.hall).length,
      await loudness(page, 'Call'),
      await loudness(page, 'Microphone'),
    );
    await expect.poll(() => loudness(page, 'Call'), PATIENCE).toBeGreaterThan(30);
    await expect.poll(() => place.hall.voice.packetsOf(bot).length, PATIENCE).toBeGreaterThan(100);
    await screenshot(page, 'chat-voice');
    console.log(errors, await seriousFaults(page));
    console.log(energyEnvelope((await place.hall.voice.recording(bot)).samples, 48_000).length);
  });
});

async function useConvertingCommunity(): Promise<VoiceCommunity> {
  const voiceSwap = await CpuVoiceSwap.start();
  onTestFinished(() => voiceSwap[Symbol.asyncDispose]());
  const place = await useVoiceCommunity({
    media: { engines: { photoSwap: new TestEngine(), voiceSwap } },
    sandbox: { page: { samplesFolder: SAMPLES } },
  });
  place.ada.voice.leaves();
  return place;
}

/** The page of Ada, who looks at the voice channel. */
async function openHall(place: VoiceCommunity): Promise<{ page: Page; errors: string[] }> {
  const opened = await openPage();
  const { page } = opened;
  await page.goto(place.sandbox.chatUrl);
  await page.getByLabel('Act as').selectOption(place.ada.id);
  await page.getByRole('button', { name: 'Hall' }).click();
  return opened;
}

async function loudness(page: Page, label: string): Promise<number> {
  return page.getByLabel(`Loudness: ${label}`).evaluate((meter) => (meter as HTMLMeterElement).value);
}
