import assert from 'node:assert/strict';
import { onTestFinished, vi } from 'vitest';
import type { Database } from '../../../db/database.ts';
import type { HoldRow } from '../../../db/schema/ledger.ts';
import type { SessionRow } from '../../../db/schema/sessions.ts';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { micros } from '../../../src/base/money.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { PaidSessions } from '../../../src/bot/sessions/paid-sessions.ts';
import type { MediaApi } from '../../../src/media-api/media-api.ts';
import { useDatabase } from '../../db/use-database.ts';
import { useClient } from '../../media-api/use-stub-api.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import type { VoiceLine } from '../../../src/bot/sessions/voice-line.ts';
import type { VoiceLineRequest } from '../../../src/bot/sessions/voice-lines.ts';

export const DOLLAR = 1_000_000;

export interface UsePaidSessionsOptions {
  /** The budget in dollars per month. Default 10. */
  readonly budget?: number;
  readonly clock?: Clock;
  readonly api?: Partial<ConstructorParameters<typeof MediaApi>[0]>;
  readonly sessions?: Partial<ConstructorParameters<typeof PaidSessions>[0]>;
  /** The quote for a one-minute session in dollars, before the service is asked. Default 0.06. */
  readonly quotedPerMinute?: number;
  /** The path of the database file. Two benches with the same path share the database. */
  readonly path?: string;
  readonly database?: Database;
}

/** Paid sessions at a service, with the bot's books. */
export class SessionBench {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly api: MediaApi;
  readonly sessions: PaidSessions;
  readonly logged: string[];

  constructor(parts: Pick<SessionBench, 'database' | 'ledger' | 'api' | 'sessions' | 'logged'>) {
    this.database = parts.database;
    this.ledger = parts.ledger;
    this.api = parts.api;
    this.sessions = parts.sessions;
    this.logged = parts.logged;
  }

  /** Returns the row of the session with this id, or of the only session. */
  async row(id?: string): Promise<SessionRow> {
    const rows = await this.rows();
    const row = id === undefined ? rows[0] : rows.find((one) => one.id === id);
    assert(row, 'There is no such session');
    return row;
  }

  rows(): Promise<SessionRow[]> {
    return this.database.kysely.selectFrom('sessions').selectAll().orderBy('opened_at_ms').execute();
  }

  holds(): Promise<HoldRow[]> {
    return this.database.kysely.selectFrom('holds').selectAll().orderBy('created_at_ms').execute();
  }

  async hold(id: string): Promise<HoldRow> {
    const hold = (await this.holds()).find(({ subject }) => subject === id);
    assert(hold, 'There is no such hold');
    return hold;
  }

  /** Waits until the session's charge is known. */
  async settled(id: string): Promise<SessionRow> {
    return vi.waitFor(
      async () => {
        const row = await this.row(id);
        assert.equal(row.state, 'settled');
        return row;
      },
      { timeout: 20_000, interval: 25 },
    );
  }

  /** Returns what is left of the guild's budget, in dollars. */
  async left(): Promise<number> {
    return (await this.ledger.budget(this.database.kysely, 'guild')).left / DOLLAR;
  }
}

/** Short limits, because these tests run in real time. */
const QUICK = { beatMs: 100, leaseMs: 1_000, firstLookMs: 20, lookMs: 50, marginMs: 300 };

export async function usePaidSessions(
  service: { readonly baseUrl: string },
  options: UsePaidSessionsOptions = {},
): Promise<SessionBench> {
  const { budget = 10, clock = systemClock, quotedPerMinute = 0.06 } = options;
  const database = options.database ?? (await useDatabase(options.path));
  const limit = micros(Math.round(budget * DOLLAR));
  const ledger = new Ledger({ clock, defaultBudget: { limit, period: 'month', timeZone: 'UTC' } });
  const api = useClient(service, options.api);
  const logged: string[] = [];
  const { limits, ...rest } = options.sessions ?? {};
  const perSecond = (quotedPerMinute * DOLLAR) / 60;
  const sessions = new PaidSessions({
    db: database,
    ledger,
    api,
    clock,
    log: recordingLogger(logged),
    quotes: {
      ofSession: (_capability, seconds) => ({ hold: micros(Math.ceil(perSecond * seconds)), snapshot: '{}' }),
    },
    ...rest,
    limits: { ...QUICK, ...limits },
  });
  onTestFinished(() => sessions[Symbol.asyncDispose]());
  sessions.start();
  return new SessionBench({ database, ledger, api, sessions, logged });
}

export function aRequest(changes: Partial<VoiceLineRequest> = {}): VoiceLineRequest {
  return {
    guildId: 'guild',
    channelId: 'channel',
    userId: '100',
    roleIds: [],
    voiceId: 'mirror',
    minutes: 1,
    ...changes,
  };
}

/** Collects everything that is received over a line. */
export class LineEar {
  readonly line: VoiceLine;
  readonly samples: number[] = [];
  readonly ends: Parameters<Parameters<VoiceLine['onEnd']>[0]>[0][] = [];

  constructor(line: VoiceLine) {
    this.line = line;
    line.onConverted((samples) => this.samples.push(...samples));
    line.onEnd((end) => this.ends.push(end));
  }

  /** Sends samples and waits until they have come back. */
  async speak(samples: Int16Array = Int16Array.of(1, 2, 3)): Promise<void> {
    const wanted = this.samples.length + samples.length;
    assert.equal(this.line.send(samples), true);
    await vi.waitFor(() => assert(this.samples.length >= wanted), { timeout: 10_000, interval: 5 });
  }
}
