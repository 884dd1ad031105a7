import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { toFloat } from '../../../src/audio/pcm.ts';
import { readWav } from '../../../src/audio/wav.ts';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import { CpuVoiceSwap } from '../../../src/media-server/engine/voice/cpu-voice-swap.ts';
import type { RenderedSpeech } from '../../../src/sandbox/voice/render-speech.ts';
import { median, pitchContour } from '../../audio/analysis.ts';
import { TestEngine } from '../../media-server/test-engine.ts';
import { RATE_HZ } from '../../sandbox/use-voice.ts';
import { settledSessions } from '../../bot/sessions/voice-swap/use-faulty-voice.ts';
import {
  type VoiceCommunity,
  panelIn,
  useVoiceCommunityWithoutBot,
  voice,
} from '../../bot/sessions/voice-swap/use-voice-community.ts';
import { closeBrowser, hasBrowser, startBrowser } from './use-browser.ts';
import { type ChatVisitor, samplesPage } from './use-chat-page.ts';
import { SAMPLES, lookAt, visitAsAda } from './use-connected-chat.ts';

/** The file that Chromium plays repeatedly as its microphone: a man's voice with a pitch of about 110 Hz. */
const SPOKEN = join(SAMPLES, 'speech-man-48k.wav');
const PATIENCE = { timeout: 20_000 };
/** -36 dB on the meter's scale of 0 to 100. */
const LOUD = 40;

beforeAll(async () => {
  if (hasBrowser) await startBrowser([`--use-file-for-fake-audio-capture=${SPOKEN}`]);
});
afterAll(closeBrowser);

describe.skipIf(!hasBrowser)('a call on the chat page', () => {
  test('a member speaks through the microphone and hears their voice converted, and the books agree', async () => {
    const place = await useConvertingCommunity();
    const visitor = await openHall(place);
    const { page, errors } = visitor;
    const bot = { id: place.bot.client.user?.id ?? '' };

    await page.getByRole('button', { name: 'Join with microphone' }).click();
    await expect.poll(() => place.hall.voice.packetsOf(place.ada).length, PATIENCE).toBeGreaterThan(25);
    await tile(page, 'Ada').getByText('speaking').waitFor();
    await startsVoice(visitor, 'Bright woman');
    const panel = await panelIn({ general: place.hall });
    await expect.poll(() => panel.text, PATIENCE).toContain(' · on, ends ');
    await page.getByText('Converted', { exact: true }).click();
    place.hall.voice.forgets();
    await expect.poll(() => place.hall.voice.packetsOf(bot).length, PATIENCE).toBeGreaterThan(150);
    await expect.poll(() => loudness(page, 'Call'), PATIENCE).toBeGreaterThan(LOUD);
    await tile(page, 'masquerade').getByText('speaking').waitFor();
    await page.getByText('masquerade is in the call').waitFor();
    await page.getByText('End-to-end encrypted (DAVE 1').waitFor();
    expect(await lookAt(page, 'chat-voice')).toEqual([]);
    const [said, heard] = [
      await place.hall.voice.recording(place.ada),
      await place.ada.voice.heard(bot, place.hall),
    ];

    await callPanel(page).getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('button', { name: 'Join with microphone' }).waitFor();
    await page.getByRole('button', { name: 'Wire panel' }).click();
    await page.getByRole('list', { name: 'Calls in their order' }).getByText('Session').first().waitFor();
    await voice(place.ada, place, 'stop');
    const sessions = await settledSessions(place);

    expect(heard.undecodable).toBe(0);
    expect(medianPitch(said)).toBeLessThan(150);
    expect(medianPitch(heard)).toBeGreaterThan(180);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.row.charged_micros).toBeGreaterThan(0);
    expect(errors).toEqual([]);
  });

  test('samples are played without a microphone, and the visitor chooses whom to hear', async () => {
    const place = await useConvertingCommunity();
    const visitor = await openHall(place);
    const { page, errors } = visitor;
    await page.getByRole('button', { name: 'Join without' }).click();
    await page.getByLabel('Original').check();
    await page.getByRole('button', { name: 'Say it' }).click();
    await expect.poll(() => place.ben.voice.packetsOf(place.ada, place.hall).length).toBeGreaterThan(20);

    void place.ben.voice.speaks(await sampleSpeech());
    await expect.poll(() => loudness(page, 'Call'), PATIENCE).toBeGreaterThan(LOUD);
    await page.getByLabel('Converted').check();
    await expect.poll(() => loudness(page, 'Call'), PATIENCE).toBe(0);
    await tile(page, 'Ben').getByText('speaking').waitFor();
    await page.getByLabel('Both').check();
    await expect.poll(() => loudness(page, 'Call'), PATIENCE).toBeGreaterThan(LOUD);
    expect(place.ben.voice.isSpeaking).toBe(true);

    await page.reload();
    await callPanel(page).getByRole('button', { name: 'Leave' }).waitFor();
    expect(await page.getByLabel('Nobody').isChecked()).toBe(true);
    await callPanel(page).getByRole('button', { name: 'Use microphone' }).click();
    await callPanel(page).getByRole('button', { name: 'Mute' }).click();
    await callPanel(page).getByRole('button', { name: 'Muted', pressed: true }).waitFor();
    await tile(page, 'Ada').getByText('muted').waitFor();
    await visitor.actAs('Ben');
    await tile(page, 'Ben (you)').waitFor();
    await callPanel(page).getByRole('button', { name: 'Use microphone' }).waitFor();
    await visitor.actAs('Ada');
    await tile(page, 'Ada (you)').waitFor();

    await page.addInitScript({ content: 'delete globalThis.AudioEncoder; delete globalThis.AudioDecoder' });
    await page.reload();
    await page.getByText('This browser cannot send your microphone').waitFor();
    await page.getByText('This browser cannot play what is said in a call').waitFor();
    expect(await page.getByRole('button', { name: 'Use microphone' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Say it' }).waitFor();
    expect(errors).toEqual([]);
  });
});

async function useConvertingCommunity(): Promise<VoiceCommunity> {
  const voiceSwap = await CpuVoiceSwap.start();
  onTestFinished(() => voiceSwap[Symbol.asyncDispose]());
  const place = await useVoiceCommunityWithoutBot({
    media: { engines: { photoSwap: new TestEngine(), voiceSwap } },
    sandbox: { page: samplesPage },
  });
  const bot = await createMasquerade(place.botOptions);
  onTestFinished(() => bot[Symbol.asyncDispose]());
  place.ada.voice.leaves();
  return { ...place, bot };
}

/** Opens Ada's page at the voice channel. */
async function openHall(place: VoiceCommunity): Promise<ChatVisitor> {
  const opened = await visitAsAda(place);
  await opened.page.getByRole('button', { name: 'Hall' }).click();
  return opened;
}

/** As the visitor, starts a conversion to a voice and agrees to it. */
async function startsVoice(visitor: ChatVisitor, voiceName: string): Promise<void> {
  const form = await visitor.picks('/voice start');
  await form.locator('#option-voice').fill(voiceName);
  await visitor.page.getByRole('option', { name: voiceName }).click();
  await form.getByRole('button', { name: 'Send' }).click();
  await visitor.message('May your speech be converted?').getByRole('button', { name: 'I agree' }).click();
}

function callPanel(page: Page): ReturnType<Page['locator']> {
  return page.getByRole('region', { name: 'Call in Hall' });
}

function tile(page: Page, name: string): ReturnType<Page['locator']> {
  return callPanel(page).getByRole('listitem').filter({ hasText: name });
}

/** Returns the value of a meter, 0 to 100. */
function loudness(page: Page, label: string): Promise<number> {
  return page
    .getByLabel(`Loudness: ${label}`)
    .evaluate((meter) => Number((meter as { value?: unknown }).value));
}

/** Returns six seconds of the sample. */
async function sampleSpeech(): Promise<Int16Array> {
  return readWav(await readFile(SPOKEN)).pcm;
}

function medianPitch({ samples }: RenderedSpeech): number {
  const sound = new Float32Array(samples.length);
  toFloat(samples, sound);
  return median(pitchContour(sound, RATE_HZ).filter((hz) => hz > 0));
}
