/**
 * The database schema as a list of migrations, which is append-only. Times are epoch milliseconds, and
 * amounts are whole micro-dollars. `accounts` has running totals of `entries`, which are written in the same
 * transactions.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    toppedUp INTEGER NOT NULL DEFAULT 0 CHECK (toppedUp >= 0),
    spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0),
    held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
    lastServedAt INTEGER NOT NULL DEFAULT 0,
    createdAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    accountId TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('top_up', 'hold', 'release', 'charge')),
    subject TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount >= 0),
    createdAt INTEGER NOT NULL,
    UNIQUE (subject, kind)
  ) STRICT;
  CREATE INDEX entriesByTime ON entries (accountId, kind, createdAt, amount);
  CREATE TRIGGER entriesNeverChange BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;
  CREATE TRIGGER entriesNeverGo BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries are append-only'); END;

  CREATE TABLE apiKeys (
    id TEXT PRIMARY KEY,
    accountId TEXT NOT NULL REFERENCES accounts (id),
    name TEXT NOT NULL,
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    requestsPerMinute INTEGER NOT NULL CHECK (requestsPerMinute > 0),
    createdAt INTEGER NOT NULL,
    revokedAt INTEGER
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rateWindows (
    keyId TEXT PRIMARY KEY REFERENCES apiKeys (id),
    startsAt INTEGER NOT NULL,
    used INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE signingSecrets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    accountId TEXT NOT NULL REFERENCES accounts (id),
    sealed BLOB NOT NULL,
    createdAt INTEGER NOT NULL,
    retiresAt INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX signingSecretCurrent ON signingSecrets (accountId) WHERE retiresAt IS NULL;

  CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE capabilities (
    feature TEXT PRIMARY KEY,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1))
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE rates (
    feature TEXT NOT NULL REFERENCES capabilities (feature),
    accountId TEXT REFERENCES accounts (id),
    rate INTEGER NOT NULL CHECK (rate >= 0),
    minimum INTEGER NOT NULL CHECK (minimum >= 0),
    hold INTEGER NOT NULL CHECK (hold >= 0)
  ) STRICT;
  CREATE UNIQUE INDEX ratesBySubject ON rates (feature, ifnull(accountId, ''));

  CREATE TABLE uploads (
    id TEXT PRIMARY KEY,
    accountId TEXT NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL CHECK (kind IN ('image', 'audio', 'video')),
    mime TEXT NOT NULL,
    sizeBytes INTEGER NOT NULL,
    createdAt INTEGER NOT NULL,
    expiresAt INTEGER NOT NULL,
    deletedAt INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX uploadsByExpiry ON uploads (expiresAt) WHERE deletedAt IS NULL;

  CREATE TABLE jobs (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    accountId TEXT NOT NULL REFERENCES accounts (id),
    feature TEXT NOT NULL,
    request TEXT NOT NULL CHECK (json_valid(request)),
    callbackUrl TEXT,
    rate INTEGER NOT NULL,
    minimum INTEGER NOT NULL,
    hold INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'processing', 'succeeded', 'failed')),
    runId TEXT,
    renders INTEGER NOT NULL DEFAULT 0,
    outputFile TEXT,
    outputMime TEXT,
    milliUnits INTEGER,
    errorCode TEXT,
    reason TEXT,
    charged INTEGER,
    createdAt INTEGER NOT NULL,
    finishedAt INTEGER,
    reconciledAt INTEGER,
    outputExpiresAt INTEGER,
    outputDeletedAt INTEGER,
    CHECK ((status IN ('succeeded', 'failed')) = (finishedAt IS NOT NULL)),
    CHECK ((status = 'succeeded') = (outputFile IS NOT NULL)),
    CHECK ((status = 'failed') = (errorCode IS NOT NULL)),
    CHECK ((reconciledAt IS NULL) = (charged IS NULL)),
    CHECK (reconciledAt IS NULL OR finishedAt IS NOT NULL)
  ) STRICT;
  CREATE INDEX jobsOpen ON jobs (status, accountId, seq) WHERE finishedAt IS NULL;
  CREATE INDEX jobsUnreconciled ON jobs (finishedAt) WHERE reconciledAt IS NULL AND finishedAt IS NOT NULL;
  CREATE INDEX jobsByTime ON jobs (accountId, createdAt, seq);
  CREATE INDEX outputsByExpiry ON jobs (outputExpiresAt) WHERE outputDeletedAt IS NULL;
  CREATE TRIGGER terminalStays BEFORE UPDATE OF status ON jobs
    WHEN OLD.finishedAt IS NOT NULL AND NEW.status <> OLD.status
    BEGIN SELECT RAISE(ABORT, 'a finished job never changes its status'); END;

  CREATE TABLE jobInputs (
    jobId TEXT NOT NULL REFERENCES jobs (id),
    field TEXT NOT NULL,
    uploadId TEXT NOT NULL REFERENCES uploads (id),
    PRIMARY KEY (jobId, field)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX jobInputsByUpload ON jobInputs (uploadId);

  CREATE TABLE idempotencyKeys (
    accountId TEXT NOT NULL REFERENCES accounts (id),
    value TEXT NOT NULL,
    jobId TEXT NOT NULL REFERENCES jobs (id),
    createdAt INTEGER NOT NULL,
    PRIMARY KEY (accountId, value)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotencyKeysByTime ON idempotencyKeys (createdAt);

  CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    jobId TEXT NOT NULL UNIQUE REFERENCES jobs (id),
    origin TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'abandoned')),
    attempts INTEGER NOT NULL DEFAULT 0,
    dueAt INTEGER NOT NULL,
    lastOutcome TEXT,
    createdAt INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX deliveriesDue ON deliveries (dueAt) WHERE state = 'pending';
  `,
  `
  CREATE TABLE sessions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    accountId TEXT NOT NULL REFERENCES accounts (id),
    feature TEXT NOT NULL,
    rate INTEGER NOT NULL CHECK (rate >= 0),
    seconds INTEGER NOT NULL CHECK (seconds > 0),
    block INTEGER NOT NULL CHECK (block >= 0),
    tokenHash BLOB CHECK (length(tokenHash) = 32),
    state TEXT NOT NULL DEFAULT 'opening' CHECK (state IN ('opening', 'ready', 'connected', 'succeeded', 'failed')),
    streamedMs INTEGER CHECK (streamedMs >= 0),
    charged INTEGER CHECK (charged BETWEEN 0 AND block),
    reason TEXT,
    createdAt INTEGER NOT NULL,
    endedAt INTEGER,
    CHECK ((state IN ('succeeded', 'failed')) = (endedAt IS NOT NULL)),
    CHECK ((endedAt IS NULL) = (charged IS NULL)),
    CHECK ((state = 'ready') = (tokenHash IS NOT NULL))
  ) STRICT;
  CREATE INDEX sessionsOpen ON sessions (feature, accountId, block) WHERE endedAt IS NULL;
  CREATE INDEX sessionsByTime ON sessions (accountId, createdAt, seq, feature, state, charged);
  DROP INDEX jobsByTime;
  CREATE INDEX jobsByTime ON jobs (accountId, createdAt, seq, feature, status, charged);
  CREATE TRIGGER endedSessionStays BEFORE UPDATE ON sessions WHEN OLD.endedAt IS NOT NULL
    BEGIN SELECT RAISE(ABORT, 'an ended session never changes'); END;
  `,
  `
  CREATE TABLE consolePassword (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    salt BLOB NOT NULL CHECK (length(salt) = 16),
    hash BLOB NOT NULL CHECK (length(hash) = 32)
  ) STRICT;
  CREATE INDEX deliveriesByTime ON deliveries (createdAt, id);
  `,
  `
  CREATE TABLE deliveryAttempts (
    deliveryId TEXT NOT NULL REFERENCES deliveries (id),
    number INTEGER NOT NULL,
    startedAt INTEGER NOT NULL,
    endedAt INTEGER,
    outcome TEXT,
    PRIMARY KEY (deliveryId, number),
    CHECK ((endedAt IS NULL) = (outcome IS NULL))
  ) STRICT, WITHOUT ROWID;
  `,
];
