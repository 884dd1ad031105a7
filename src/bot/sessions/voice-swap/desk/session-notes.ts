import type { Database } from '../../../../../db/database.ts';
import { deleteVoicePanel, listVoicePanels, putVoicePanel } from '../../../../../db/queries/voice-panels.ts';
import type { VoicePanelRow } from '../../../../../db/schema/voice.ts';
import { type Clock, type Timer, withDeadline } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/log.ts';
import { ZERO } from '../../../../base/money.ts';
import type { ConsentBook, ConsentScope } from '../../consent-book.ts';
import type { ShowStatus } from './disclosure.ts';
import type { PanelNotes } from './panel-keeper.ts';
import type { VoicePanels } from './voice-panels.ts';
import type { VoiceView } from './voice-view.ts';
import type { VoiceWhereabouts } from './voice-whereabouts.ts';

interface SessionNotesOptions {
  readonly db: Database;
  readonly panels: VoicePanels;
  readonly showStatus: ShowStatus;
  readonly consents: ConsentBook;
  readonly whereabouts: Pick<VoiceWhereabouts, 'isOurs'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Returns whether the session runs in this process. */
  readonly isKnown: (sessionId: string) => boolean;
}

const SWEEP_MS = 60_000;
const SWEPT_MAX = 100;
const DEADLINE_MS = 10_000;
/** A panel that still cannot be corrected after this time is left unchanged. */
const AGE_MS_MAX = 86_400_000;

/** Records which sessions are running, and corrects the panels, statuses and consents that a crash left behind. */
export class SessionNotes implements AsyncDisposable {
  readonly #options: SessionNotesOptions;
  #timer: Timer | null = null;
  #sweeping: Promise<void> | null = null;
  #isStopping = false;

  constructor(options: SessionNotesOptions) {
    this.#options = options;
  }

  /** Looks for what crashes left behind: at once, and then every minute. */
  begin(): void {
    if (this.#isStopping || this.#sweeping) return;
    this.#sweeping = this.#sweep()
      .catch((error: unknown) => this.#options.log.warn({ error }, 'Cannot look for ended voice sessions'))
      .finally(() => {
        this.#sweeping = null;
        if (this.#isStopping) return;
        this.#timer = this.#options.clock.after(SWEEP_MS, () => this.begin(), { background: true });
      });
  }

  /** Returns the panel records of one session. */
  of({ sessionId, guildId, channelId }: ConsentScope, stageChannelId: string | null): PanelNotes {
    const { db, clock } = this.#options;
    const startedAtMs = clock.now();
    return {
      note: (place) =>
        putVoicePanel(db.kysely, {
          session_id: sessionId,
          guild_id: guildId,
          channel_id: channelId,
          stage_channel_id: stageChannelId,
          panel_channel_id: place?.channelId ?? null,
          message_id: place?.messageId ?? null,
          started_at_ms: startedAtMs,
        }),
      forget: () => deleteVoicePanel(db.kysely, sessionId),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    this.#timer?.cancel();
    await this.#sweeping;
  }

  async #sweep(): Promise<void> {
    const { db, whereabouts, isKnown, log } = this.#options;
    for (const row of await listVoicePanels(db.kysely, SWEPT_MAX)) {
      if (this.#isStopping) return;
      if (isKnown(row.session_id) || !whereabouts.isOurs(row.guild_id)) continue;
      await this.#setRight(row).catch((error: unknown) => {
        log.warn({ error, guildId: row.guild_id }, 'Cannot show that a voice session ended');
      });
    }
  }

  async #setRight(row: VoicePanelRow): Promise<void> {
    const { db, clock, consents, panels, showStatus } = this.#options;
    const { panel_channel_id: channelId, message_id: messageId } = row;
    await consents.endAll(row.session_id);
    const isOld = clock.now() - row.started_at_ms > AGE_MS_MAX;
    const show = async (signal: AbortSignal): Promise<void> => {
      await showStatus(row.channel_id, null, signal);
      if (row.stage_channel_id !== null) await showStatus(row.stage_channel_id, null, signal);
      if (channelId === null || messageId === null) return;
      await panels.edit({ channelId, messageId }, crashedView(row), signal);
    };
    await withDeadline(clock, DEADLINE_MS, show).catch((error: unknown) => {
      if (!isOld) throw error;
    });
    await deleteVoicePanel(db.kysely, row.session_id);
  }
}

function crashedView(row: VoicePanelRow): VoiceView {
  return {
    sessionId: row.session_id,
    guildId: row.guild_id,
    channelId: row.channel_id,
    stageChannelId: row.stage_channel_id,
    phase: { kind: 'ended', why: 'crash' },
    endsAtMs: row.started_at_ms,
    isRenewed: false,
    usualVoice: undefined,
    speakers: [],
    convertedMs: 0,
    estimate: ZERO,
    budget: null,
  };
}
