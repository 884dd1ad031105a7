import { readFile } from 'node:fs/promises';
import { expect, onTestFinished } from 'vitest';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import type { SessionRow } from '../../../../db/schema/sessions.ts';
import { alignEnvelopes, energyEnvelope } from '../../../../src/audio/energy-envelope.ts';
import { readWav } from '../../../../src/audio/wav.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import type { SessionLimits } from '../../../../src/bot/sessions/session-limits.ts';
import type { WireBalance, WireUsageRecord } from '../../../../src/media-api/wire.ts';
import type { VoiceLimits } from '../../../../src/bot/sessions/voice-swap/desk/voice-limits.ts';
import type { RenderedSpeech } from '../../../../src/sandbox/voice/render-speech.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { FaultProxy } from '../../../whole/faults/fault-proxy.ts';
import { ApiClient } from '../../../media-server/api-client.ts';
import { type PlaceTime, REAL_TIME } from '../../../helpers/place-time.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { RATE_HZ } from '../../../sandbox/use-voice.ts';
import { StreamProxy } from './stream-proxy.ts';
import { type SimulatedVoiceCommunity, panelIn, starts, useVoiceCommunity } from './use-voice-community.ts';

export interface FaultyVoiceOptions {
  readonly live?: Partial<SessionLimits>;
  readonly voice?: Partial<VoiceLimits>;
  /** Runs before Ada starts the session. */
  readonly before?: (place: FaultyVoice) => Promise<void> | void;
}

/** A community whose bot reaches the media service through proxies that cause faults. */
export interface FaultyVoice extends SimulatedVoiceCommunity {
  /** The proxy for the bot's requests. */
  readonly calls: FaultProxy;
  /** The proxy for the bot's streams. */
  readonly streams: StreamProxy;
  readonly logged: readonly string[];
}

/** A settled paid session, as recorded by the bot and by the service. */
export interface Settled {
  readonly row: SessionRow;
  readonly hold: HoldRow;
  /** `undefined` if the service has no record. */
  readonly record: WireUsageRecord | undefined;
}

const QUICK: Partial<SessionLimits> = { firstLookMs: 50, lookMs: 200 };
/** How long tests wait in real time, long enough even for a busy machine. */
export const PATIENCE = { timeout: 30_000, interval: 50 };
/** For comparison: different words have a likeness of 0.6, and half of the words 0.4. */
const LIKENESS_MIN = 0.7;
const WORDS = { partMs: 1_000, fromMs: -400, toMs: 1_500 };

export async function useFaultyVoice(options: FaultyVoiceOptions = {}): Promise<FaultyVoice> {
  const calls = await FaultProxy.open();
  onTestFinished(() => calls[Symbol.asyncDispose]());
  const streams = await StreamProxy.open();
  const logged: string[] = [];
  const place = await useVoiceCommunity({
    media: { publicUrl: streams.origin },
    bot: (usual) => {
      calls.target = streams.target = new URL(usual.mediaApi.baseUrl).origin;
      return {
        ...usual,
        mediaApi: { ...usual.mediaApi, baseUrl: `${calls.origin}/api/v1` },
        logger: recordingLogger(logged),
        liveLimits: { ...QUICK, ...options.live },
        voiceLimits: options.voice ?? {},
      };
    },
  });
  return { ...place, calls, streams, logged };
}

/** Creates a session that Ada has started. She has given her consent, and the service is connected. */
export async function useFaultyTalk(options: FaultyVoiceOptions = {}): Promise<FaultyVoice> {
  const place = await useFaultyVoice(options);
  await options.before?.(place);
  await begins(place);
  await place.time.until(() => expect(place.streams.open).toHaveLength(1));
  return place;
}

/** Has Ada start a session and give her consent. */
export async function begins(place: FaultyVoice): Promise<void> {
  const asked = await starts(place);
  await place.ada.presses('I agree', { on: asked });
  await panelIn(place);
}

/** Returns the text of the panel. */
export async function shown(place: FaultyVoice): Promise<string> {
  return (await panelIn(place)).text;
}

/** Returns the man's sample recording between these two times in seconds. */
export async function speech(from: number, to: number): Promise<Int16Array> {
  const { pcm } = readWav(await readFile(new URL('../../../samples/speech-man-48k.wav', import.meta.url)));
  return pcm.slice(from * RATE_HZ, to * RATE_HZ);
}

/**
 * Has Ada speak, and expects that the channel hears the same words at the same pace from the bot. Before that, she says
 * one word, because speech is heard late while a session is being opened.
 */
export async function expectHeard(place: FaultyVoice, said: Int16Array): Promise<void> {
  await heardOf(place, await speech(0.2, 0.5));
  expect(await heardOf(place, said)).toBeGreaterThan(LIKENESS_MIN);
}

/**
 * Has Ada speak, and waits until the bot has fallen silent. Returns how similar the bot's words are to hers, from -1 to
 * 1.
 */
async function heardOf(place: FaultyVoice, said: Int16Array): Promise<number> {
  const { ada, hall, time } = place;
  hall.voice.forgets();
  await time.during(ada.voice.speaks(said));
  await time.until(() => expect(isQuiet(place)).toBe(true));
  return likeness(await hall.voice.recording(ada), await hall.voice.recording(botOf(place)));
}

function botOf({ bot }: FaultyVoice): { readonly id: string } {
  return { id: bot.client.user?.id ?? '' };
}

/** Has Ada speak words until the bot has its `count`th stream to the service open. */
export async function speaksUntilOpen({ ada, streams, time }: FaultyVoice, count: number): Promise<void> {
  const word = await speech(0.2, 0.5);
  await time.until(
    async () => {
      if (!ada.voice.isSpeaking) await ada.voice.speaks(word);
      expect(streams.streams.length).toBeGreaterThanOrEqual(count);
      expect(streams.last.isOpen).toBe(true);
    },
    { everyMs: 200 },
  );
}

/**
 * Has Ada start to speak. Resolves as soon as the beginning has been heard from the bot, with a promise that resolves
 * when she has finished.
 */
export async function beginsToSpeak(
  place: FaultyVoice,
  said: Int16Array,
): Promise<{ readonly spoken: Promise<void> }> {
  place.hall.voice.forgets();
  const spoken = place.ada.voice.speaks(said);
  const heard = (): number => place.hall.voice.packetsOf(botOf(place)).length;
  await place.time.until(() => expect(heard()).toBeGreaterThan(10));
  return { spoken };
}

/** Returns whether the bot has spoken and then been silent for half a second. */
function isQuiet(place: FaultyVoice): boolean {
  const last = place.hall.voice.packetsOf(botOf(place)).at(-1);
  return last !== undefined && place.time.monotonic() - last.atMs > 500;
}

/** Returns how similar the heard speech is to the original, taking its timing into account. */
function likeness(said: RenderedSpeech, heard: RenderedSpeech): number {
  const ahead = Math.round(((heard.startMs - said.startMs) * RATE_HZ) / 1000);
  const sound = new Int16Array(Math.max(0, ahead + heard.samples.length));
  if (ahead >= 0) sound.set(heard.samples, ahead);
  else sound.set(heard.samples.subarray(-ahead));
  return alignEnvelopes(energyEnvelope(said.samples, RATE_HZ), energyEnvelope(sound, RATE_HZ), WORDS)
    .likeness;
}

/**
 * Ends the session and checks what is left: nothing is open, the books show for each session what the service charged,
 * the account has lost the sum of these charges, and no log contains a secret. Returns the sessions in order.
 */
export async function endsWell(place: FaultyVoice): Promise<readonly Settled[]> {
  const { ada, general, voices, streams, logged, media, time } = place;
  const use = await ada.runs('/voice stop', { in: general });
  await time.during(use.replied());
  await time.until(() => expect(streams.open).toEqual([]));
  await time.until(() => expect(voices.taken).toBe(0));
  await time.until(async () => expect(await shown(place)).toContain('has ended'));
  const sessions = await settledSessions(place);
  expectNoSecrets(logged, [media.apiKey, ...streams.tokens]);
  return sessions;
}

/** Waits until everything is settled, and compares the bot's books with the service's records. */
export async function settledSessions({
  dataDir,
  media,
  time = REAL_TIME,
}: Pick<FaultyVoice, 'dataDir' | 'media'> & { readonly time?: PlaceTime }): Promise<readonly Settled[]> {
  const database = await useDatabase(`${dataDir}/masquerade.db`);
  const rowsIn = (): Promise<SessionRow[]> =>
    database.kysely.selectFrom('sessions').selectAll().orderBy('opened_at_ms').execute();
  await time.until(async () =>
    expect((await rowsIn()).filter(({ state }) => state !== 'settled')).toEqual([]),
  );
  const api = new ApiClient(media.baseUrl, media.apiKey);
  const records = (await api.get('/usage?limit=500')).json as WireUsageRecord[];
  const holds = await database.kysely.selectFrom('holds').selectAll().execute();
  const sessions = (await rowsIn()).map((row): Settled => {
    const hold = holds.find(({ subject }) => subject === row.id);
    if (!hold) throw new Error('A session has no hold');
    const record = records.find(({ id }) => id === row.service_session_id);
    return { row, hold, record };
  });
  for (const { row, hold, record } of sessions) {
    const charged = Math.round((record?.charged_usd ?? 0) * 1e6);
    expect(row.charged_micros).toBe(charged);
    expect(hold.state).toBe(charged > 0 ? 'posted' : 'voided');
    expect(hold.overrun_micros ?? 0).toBe(0);
  }
  expect(records.map(({ id }) => id).toSorted()).toEqual(
    sessions.flatMap(({ record }) => (record ? [record.id] : [])).toSorted(),
  );
  const { balance_usd: balance } = (await api.get('/balance')).json as WireBalance;
  const spent = sessions.reduce((sum, { row }) => sum + (row.charged_micros ?? 0), 0);
  expect(Math.round(balance * 1e6) + spent).toBe(OPENING_MICROS);
  await verifyLedger(database.kysely, (difference) => expect(difference).toBeUndefined());
  return sessions;
}

const OPENING_MICROS = 25_000_000;

/** Expects that the logs contain neither these secrets nor any session's token or stream URL. */
export function expectNoSecrets(logged: readonly string[], secrets: readonly string[]): void {
  const told = logged.filter(
    (line) => /session_token|\/stream\//.test(line) || secrets.some((secret) => line.includes(secret)),
  );
  expect(told).toEqual([]);
}
