import type { Queryable } from '../schema.ts';
import type { VoicePanelRow } from '../schema/voice.ts';

/** Stores a running session's panel. The row exists as long as a panel shows the session. */
export async function putVoicePanel(db: Queryable, panel: VoicePanelRow): Promise<void> {
  const { panel_channel_id, message_id } = panel;
  await db
    .insertInto('voice_panels')
    .values(panel)
    .onConflict((conflict) => conflict.column('session_id').doUpdateSet({ panel_channel_id, message_id }))
    .execute();
}

/** Returns the panels of sessions whose end has not been observed, oldest session first, at most `limit`. */
export async function listVoicePanels(db: Queryable, limit: number): Promise<VoicePanelRow[]> {
  return db.selectFrom('voice_panels').selectAll().orderBy('started_at_ms').limit(limit).execute();
}

export async function deleteVoicePanel(db: Queryable, sessionId: string): Promise<void> {
  await db.deleteFrom('voice_panels').where('session_id', '=', sessionId).execute();
}
