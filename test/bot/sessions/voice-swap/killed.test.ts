import { expect, onTestFinished, test } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import { PATIENCE, expectNoSecrets, settledSessions } from './use-faulty-voice.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { useBotProcess } from '../../../helpers/use-bot-process.ts';
import { panelIn, starts, useVoiceCommunityWithoutBot } from './use-voice-community.ts';

const QUICK = { beatMs: 100, leaseMs: 1_000, firstLookMs: 50, lookMs: 200 };

test('leaves a session that the next process shows as ended and books at the price of the service', async () => {
  const place = await useVoiceCommunityWithoutBot({ bot: { liveLimits: QUICK } });
  const { sandbox, ada, hall, general, voices, botOptions } = place;
  const child = await useBotProcess(botOptions, { NODE_EXTRA_CA_CERTS: sandbox.caFile });
  const asked = await starts(place);
  await ada.presses('I agree', { on: asked });
  await expect.poll(() => voices.taken, PATIENCE).toBe(1);
  const isAnswered = (): boolean => hall.voice.speakerIds.some((id) => id !== ada.id && isHeard(id));
  const isHeard = (id: string): boolean => hall.voice.packetsOf({ id }).length > 30;
  hall.voice.forgets();
  const speaking = ada.voice.speaks(tone(440, 5_000));
  await expect.poll(isAnswered, PATIENCE).toBe(true);

  await child.kill();
  const database = await useDatabase(`${place.dataDir}/masquerade.db`);
  const left = await database.kysely.selectFrom('sessions').selectAll().executeTakeFirstOrThrow();
  const held = await database.kysely.selectFrom('holds').selectAll().executeTakeFirstOrThrow();
  const panel = await panelIn(place);
  const panelThen = panel.text;
  await speaking;
  await expect.poll(() => voices.taken, PATIENCE).toBe(0);
  const logged: string[] = [];
  const next = await createMasquerade({ ...botOptions, logger: recordingLogger(logged) });
  onTestFinished(() => next[Symbol.asyncDispose]());
  await expect.poll(() => panel.text, PATIENCE).toContain('has ended');
  const [session] = await settledSessions(place);

  expect(left.state).toBe('open');
  expect(held).toMatchObject({ state: 'pending', amount_micros: left.max_cost_micros });
  expect(panelThen).toContain('Voice conversion is on');
  expect(panel.text).toContain('broke off');
  expect(session?.row.end_reason).toBe('crashed');
  expect(session?.row.charged_micros).toBeGreaterThan(0);
  await expect.poll(() => hall.status, PATIENCE).toBeNull();

  await starts(place);
  await expect.poll(() => voices.taken, PATIENCE).toBe(1);
  hall.voice.forgets();
  await ada.voice.speaks(tone(440, 1_000));
  await expect.poll(isAnswered, PATIENCE).toBe(true);
  await (await ada.runs('/voice stop', { in: general })).replied();
  expect(await settledSessions(place)).toHaveLength(2);
  expectNoSecrets(logged, [place.media.apiKey]);
});
