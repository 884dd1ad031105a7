import { expect, test } from 'vitest';
import {
  deleteVoiceConsentsOfGuild,
  deleteVoiceConsentsOfMember,
  listVoiceConsents,
} from '../../../db/queries/voice-consents.ts';
import { listVoicePanels, putVoicePanel } from '../../../db/queries/voice-panels.ts';
import type { Database } from '../../../db/database.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { ConsentBook } from '../../../src/bot/sessions/consent-book.ts';
import { voiceConsentText } from '../../../src/bot/sessions/voice-swap/desk/voice-consent-text.ts';
import { useDatabase } from '../../db/use-database.ts';

const HALL = { guildId: 'g', channelId: 'hall', sessionId: 's1' };

async function useBook(): Promise<{ db: Database; clock: FakeClock; book: ConsentBook }> {
  const db = await useDatabase();
  const clock = new FakeClock(1_000);
  return { db, clock, book: new ConsentBook({ db, clock, text: voiceConsentText('media.example') }) };
}

test('records who agreed, to what, for which session, and who ended it first', async () => {
  const { db, clock, book } = await useBook();

  const before = await book.hasAgreed('g', 'ada');
  await book.give(HALL, 'ada');
  const standing = await book.standing('s1');
  await clock.advance(500);
  await book.revoke(HALL, 'ada', 'left');
  await clock.advance(500);
  await book.revoke(HALL, 'ada', 'moderator');

  expect(before).toBe(false);
  expect([...standing]).toEqual(['ada']);
  expect([...(await book.standing('s1'))]).toEqual([]);
  expect(await book.hasAgreed('g', 'ada')).toBe(true);
  expect(await book.hasAgreed('other', 'ada')).toBe(false);
  expect(await listVoiceConsents(db.kysely, 'ada', 10)).toEqual([
    {
      guild_id: 'g',
      channel_id: 'hall',
      user_id: 'ada',
      session_id: 's1',
      text_version: 'voice-1 media.example',
      given_at_ms: 1_000,
      revoked_at_ms: 1_500,
      revoked_by: 'left',
    },
  ]);
});

test('must be given again for the next session, and for another text', async () => {
  const { db, clock, book } = await useBook();
  await book.give(HALL, 'ada');
  await book.endAll('s1');

  await book.give({ ...HALL, sessionId: 's2' }, 'ada');
  await book.endAll('s1');
  const elsewhere = new ConsentBook({ db, clock, text: voiceConsentText('another.example') });

  expect([...(await book.standing('s2'))]).toEqual(['ada']);
  expect([...(await book.standing('s1'))]).toEqual([]);
  expect(await elsewhere.hasAgreed('g', 'ada')).toBe(false);
});

test('is removed with the member, and with the server', async () => {
  const { db, book } = await useBook();
  await book.give(HALL, 'ada');
  await book.give(HALL, 'ben');
  const panel = {
    session_id: 's1',
    guild_id: 'g',
    channel_id: 'hall',
    stage_channel_id: null,
    started_at_ms: 1,
  };
  await putVoicePanel(db.kysely, { ...panel, panel_channel_id: null, message_id: null });
  await putVoicePanel(db.kysely, { ...panel, panel_channel_id: 'general', message_id: 'm' });
  const [noted] = await listVoicePanels(db.kysely, 10);

  await db.transaction('member:ada', (trx) => deleteVoiceConsentsOfMember(trx, 'ada'));
  const left = [...(await book.standing('s1'))];
  await db.transaction('guild:g', (trx) => deleteVoiceConsentsOfGuild(trx, 'g'));

  expect(noted).toMatchObject({ panel_channel_id: 'general', message_id: 'm' });
  expect(left).toEqual(['ben']);
  expect([...(await book.standing('s1'))]).toEqual([]);
  expect(await listVoicePanels(db.kysely, 10)).toEqual([]);
});
