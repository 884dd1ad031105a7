import type { DualMigration } from '../migration.ts';

const sessions = (text: string, whole: string): string => `CREATE TABLE sessions (
  id ${text} PRIMARY KEY,
  guild_id ${text} NOT NULL,
  channel_id ${text} NOT NULL,
  user_id ${text} NOT NULL,
  capability ${text} NOT NULL,
  voice_id ${text},
  state ${text} NOT NULL CHECK (state IN ('opening', 'open', 'ended', 'settled')),
  service_session_id ${text},
  granted_seconds ${whole} CHECK (granted_seconds > 0),
  max_cost_micros ${whole} CHECK (max_cost_micros >= 0),
  opened_at_ms ${whole} NOT NULL,
  connected_at_ms ${whole},
  metered_ms ${whole} NOT NULL DEFAULT 0 CHECK (metered_ms >= 0),
  ended_at_ms ${whole},
  end_reason ${text},
  charged_micros ${whole} CHECK (charged_micros >= 0),
  usage_reason ${text},
  settled_at_ms ${whole},
  owner ${text} NOT NULL,
  lease_until_ms ${whole} NOT NULL,
  looks ${whole} NOT NULL DEFAULT 0,
  due_at_ms ${whole},
  CHECK ((state IN ('ended', 'settled')) = (ended_at_ms IS NOT NULL)),
  CHECK ((state = 'settled') = (settled_at_ms IS NOT NULL AND charged_micros IS NOT NULL))
)`;

const indexes = [
  `CREATE INDEX sessions_running ON sessions (lease_until_ms) WHERE state IN ('opening', 'open')`,
  `CREATE INDEX sessions_due ON sessions (due_at_ms) WHERE state = 'ended' AND due_at_ms IS NOT NULL`,
  `CREATE INDEX sessions_by_time ON sessions (opened_at_ms) WHERE service_session_id IS NOT NULL`,
  `CREATE INDEX sessions_by_service_id ON sessions (service_session_id) WHERE service_session_id IS NOT NULL`,
  `CREATE INDEX sessions_by_user ON sessions (user_id, opened_at_ms)`,
  `CREATE INDEX sessions_by_guild ON sessions (guild_id, user_id)`,
];

/** Adds paid live and voice sessions. Each is stored before it is requested from the service. */
export const migration0011: DualMigration = {
  number: 11,
  name: 'sessions',
  statements: [`${sessions('TEXT', 'INTEGER')} STRICT`, ...indexes],
  postgres: [sessions('TEXT COLLATE "C"', 'BIGINT'), ...indexes],
};
