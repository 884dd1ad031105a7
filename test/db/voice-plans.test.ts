import { expect, test } from 'vitest';
import {
  deleteVoiceConsentsOfGuild,
  deleteVoiceConsentsOfMember,
  endVoiceConsents,
  hasAgreedToVoice,
  listVoiceConsents,
  listVoiceSpeakers,
  putVoiceConsent,
  revokeVoiceConsent,
} from '../../db/queries/voice-consents.ts';
import { deleteVoicePanel, listVoicePanels, putVoicePanel } from '../../db/queries/voice-panels.ts';
import type { Trx } from '../../db/schema.ts';
import { slowSteps, useQueryPlans } from './use-query-plans.ts';

const CONSENT = {
  guild_id: 'g',
  channel_id: 'c',
  user_id: 'u',
  session_id: 's',
  text_version: 't',
  given_at_ms: 1,
};
const PANEL = {
  session_id: 's',
  guild_id: 'g',
  channel_id: 'c',
  stage_channel_id: null,
  panel_channel_id: null,
  message_id: null,
  started_at_ms: 1,
};
const KEY = { guildId: 'g', channelId: 'c', userId: 'u' };

const queries: Record<string, (trx: Trx) => Promise<unknown>> = {
  putVoiceConsent: (trx) => putVoiceConsent(trx, CONSENT),
  revokeVoiceConsent: (trx) => revokeVoiceConsent(trx, KEY, { atMs: 2, by: 'left' }),
  endVoiceConsents: (trx) => endVoiceConsents(trx, 's', 2),
  hasAgreedToVoice: (trx) => hasAgreedToVoice(trx, { guildId: 'g', userId: 'u', textVersion: 't' }),
  listVoiceSpeakers: (trx) => listVoiceSpeakers(trx, 's', 10),
  listVoiceConsents: (trx) => listVoiceConsents(trx, 'u', 10),
  deleteVoiceConsentsOfMember: (trx) => deleteVoiceConsentsOfMember(trx, 'u'),
  deleteVoiceConsentsOfGuild: (trx) => deleteVoiceConsentsOfGuild(trx, 'g'),
  putVoicePanel: (trx) => putVoicePanel(trx, PANEL),
  deleteVoicePanel: (trx) => deleteVoicePanel(trx, 's'),
};

test.each(Object.entries(queries))('%s reads by index only', async (_name, query) => {
  const plans = await useQueryPlans();
  const plan = await plans.of(query);
  expect(plan.length).toBeGreaterThan(0);
  expect(slowSteps(plan)).toEqual([]);
});

test('the listing of running sessions reads them in order of age', async () => {
  const plans = await useQueryPlans();
  expect(await plans.of((trx) => listVoicePanels(trx, 10))).toContainEqual(
    expect.stringMatching(/SCAN voice_panels USING INDEX voice_panels_by_age$/),
  );
});
