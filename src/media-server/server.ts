import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { DeadlineError, sleep, systemClock, withDeadline } from '../base/clock.ts';
import { makeFolder } from '../base/make-folder.ts';
import { Disposer } from '../base/disposer.ts';
import { silentLogger } from '../base/log.ts';
import { parseUsd } from '../base/money.ts';
import { MediaAdmin } from './media-admin.ts';
import { Billing } from './billing/billing.ts';
import { jobCapabilities } from './capabilities/all.ts';
import { addConsole } from './console/add-console.ts';
import { lockDataDir } from './files/lock-data-dir.ts';
import { ensureEmbeddedAccount } from './accounts/embedded-account.ts';
import { MediaFiles } from './files/media-files.ts';
import { Metrics } from './metrics/metrics.ts';
import { type MediaServerOptions, type ServerNumbers, checkTexts, resolveNumbers } from './options.ts';
import { type Foundation, buildParts } from './build-parts.ts';
import { type ServerSecrets, loadSecrets } from './accounts/secrets-file.ts';
import { ServerFaults } from './server-faults.ts';
import { allSessionKinds } from './sessions/all-session-kinds.ts';
import { Voices } from './sessions/voice/voices.ts';
import { SigningSecrets } from './accounts/signing-secrets.ts';
import { Database } from './store/database.ts';
import { introduceCapability } from './store/rates.ts';
import { Vault } from './accounts/vault.ts';

/** A running Media Generation API. Disposing drains it; unfinished work continues at the next start. */
export interface MediaServer extends AsyncDisposable {
  /** The server's address on this machine, regardless of its public address; it ends in `/api/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  /** The embedded account's key. */
  readonly apiKey: string;
  /** The embedded account's webhook secret. */
  readonly signingSecret: string;
  /** The console page's address on this machine, or null if the pages were not built. */
  readonly consoleUrl: string | null;
  readonly admin: MediaAdmin;
  /** Faults that the operator can inject. */
  readonly faults: ServerFaults;
}

const OPENING_BALANCE = parseUsd('25');
/** How long a stopping server waits for requests in progress. */
const DRAIN_MS = 5_000;
const IDLE_CHECK_MS = 20;

/**
 * Starts the API on `dataDir` and resolves when it answers requests. The first start creates an account with
 * a balance, an API key and a signing secret. Throws `data_dir_in_use` if another server uses the folder, and
 * `RangeError` if an option is out of range.
 */
export async function createMediaServer(options: MediaServerOptions): Promise<MediaServer> {
  const disposer = new Disposer();
  try {
    checkTexts(options);
    return await start(options, resolveNumbers(options), disposer);
  } catch (error) {
    await disposer[Symbol.asyncDispose]();
    throw error;
  }
}

async function start(
  options: MediaServerOptions,
  numbers: ServerNumbers,
  disposer: Disposer,
): Promise<MediaServer> {
  const { dataDir } = options;
  const { requestsPerMinute } = numbers;
  await makeFolder(dataDir);
  disposer.use(lockDataDir(dataDir));
  const stored = await loadSecrets(dataDir);
  const foundation = await layFoundation(options, numbers, stored, disposer);
  const account = await ensureEmbeddedAccount({
    ...foundation,
    dataDir,
    stored,
    openingBalance: options.openingBalance ?? OPENING_BALANCE,
    requestsPerMinute,
    apiKey: options.apiKey,
    signingSecret: options.signingSecret,
  });
  const parts = buildParts(options, numbers, foundation, disposer);
  const admin = new MediaAdmin({
    ...foundation,
    jobs: parts.jobs,
    accountId: account.accountId,
    requestsPerMinute,
  });
  const watch = await addConsole(parts.app, { ...foundation, admin, origins: options.consoleOrigins ?? [] });
  disposer.defer(() => drain(parts.app));
  // The console's streams must end before the drain, because a server with open streams never closes.
  if (watch) disposer.use(watch);
  disposer.use(parts.sessions).recover();
  await parts.retention.start();
  const { origin, port } = await parts.listen();
  // This comes last, because webhooks that an earlier run left behind contain links to this server, which must be
  // listening by then.
  parts.runner.wake();
  parts.dispatcher.wake();
  foundation.logger.info({ port }, 'The media server is listening');
  return {
    baseUrl: `${origin}/api/v1`,
    port,
    apiKey: account.apiKey,
    signingSecret: account.signingSecret,
    consoleUrl: watch ? `${origin}/console/` : null,
    admin,
    faults: foundation.faults,
    [Symbol.asyncDispose]: () => disposer[Symbol.asyncDispose](),
  };
}

async function layFoundation(
  options: MediaServerOptions,
  numbers: ServerNumbers,
  stored: ServerSecrets,
  disposer: Disposer,
): Promise<Foundation> {
  const { dataDir, clock = systemClock, logger = silentLogger } = options;
  const db = disposer.use(new Database(join(dataDir, 'media-server.db')));
  const files = new MediaFiles(dataDir);
  await files.prepare();
  const vault = new Vault(Buffer.from(stored.masterKey, 'hex'));
  const capabilities = jobCapabilities(options.engines);
  const sessionKinds = allSessionKinds({ ...options, ...numbers, db, files });
  for (const { feature, initialRate } of [...capabilities, ...sessionKinds]) {
    introduceCapability(db, feature, initialRate);
  }
  return {
    db,
    clock,
    logger,
    files,
    capabilities,
    sessionKinds,
    voices: new Voices(options.engines.voiceSwap, clock),
    faults: new ServerFaults(),
    billing: new Billing(db, clock),
    signing: new SigningSecrets(db, vault, clock),
    metrics: new Metrics({ db, clock, renderWorkers: numbers.renderWorkers }),
    linkKey: vault.linkKey,
  };
}

/**
 * Stops listening, lets requests in progress finish within the limit (in real time, because sockets use real
 * time), then closes all connections. A connection whose answer is still being sent becomes idle only later,
 * so idle connections are closed repeatedly.
 */
async function drain(app: FastifyInstance): Promise<void> {
  const closed = app.close();
  const done = new AbortController();
  const idle = closeIdleUntil(app, done.signal);
  try {
    await withDeadline(systemClock, DRAIN_MS, () => closed);
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
    app.server.closeAllConnections();
    await closed;
  } finally {
    done.abort();
    await idle;
  }
}

async function closeIdleUntil(app: FastifyInstance, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    app.server.closeIdleConnections();
    await Promise.allSettled([sleep(systemClock, IDLE_CHECK_MS, signal)]);
  }
}
