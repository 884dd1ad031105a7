import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { ServiceError } from '../base/errors.ts';
import { MediaAdmin } from './media-admin.ts';
import { Billing } from './billing/billing.ts';
import { Jobs } from './jobs/jobs.ts';
import { resolveNumbers } from './options.ts';
import { loadSecrets } from './accounts/secrets-file.ts';
import { ServerFaults } from './server-faults.ts';
import { SigningSecrets } from './accounts/signing-secrets.ts';
import { listAccounts } from './store/accounts.ts';
import { Database } from './store/database.ts';
import { Vault } from './accounts/vault.ts';

/** Access to the administration of a media server's data folder from outside the server. */
export interface OpenedAdmin extends Disposable {
  readonly admin: MediaAdmin;
}

const NUMBERS_OF_NO_SERVER = resolveNumbers({});

/**
 * Opens the administration of the media server in `dataDir`, whether or not the server is running. A running server
 * applies every change with its next request, and stops a cancelled job within seconds. Throws `no_media_server` if no
 * server was ever started in that folder.
 */
export async function openMediaAdmin(options: {
  readonly dataDir: string;
  /** The rate limit for keys that are created without a limit of their own. @defaultValue 60 */
  readonly requestsPerMinute?: number;
  readonly clock?: Clock;
}): Promise<OpenedAdmin> {
  const { dataDir, clock = systemClock } = options;
  const { requestsPerMinute } = resolveNumbers(options);
  const path = join(dataDir, 'media-server.db');
  try {
    await access(path);
  } catch (cause) {
    throw noServer(cause);
  }
  const { masterKey } = await loadSecrets(dataDir);
  const db = new Database(path);
  const first = listAccounts(db)[0];
  if (!first) {
    db[Symbol.dispose]();
    throw noServer();
  }
  const billing = new Billing(db, clock);
  const ignore = (): void => undefined;
  const faults = new ServerFaults();
  const jobs = new Jobs({
    ...NUMBERS_OF_NO_SERVER,
    db,
    clock,
    billing,
    faults,
    onQueued: ignore,
    onEnded: ignore,
  });
  const signing = new SigningSecrets(db, new Vault(Buffer.from(masterKey, 'hex')), clock);
  return {
    admin: new MediaAdmin({ db, clock, billing, jobs, signing, accountId: first.id, requestsPerMinute }),
    [Symbol.dispose]: () => db[Symbol.dispose](),
  };
}

function noServer(cause?: unknown): ServiceError {
  return new ServiceError('no_media_server', 'Cannot administrate: no media server was started here', {
    cause,
  });
}
