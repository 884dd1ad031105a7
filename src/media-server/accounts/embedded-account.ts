import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import type { Logger } from '../../base/log.ts';
import type { MicroUsd } from '../../base/money.ts';
import { equalSecret } from '../../base/signing.ts';
import type { Billing } from '../billing/billing.ts';
import { createApiKey, findApiKey } from './api-keys.ts';
import { type ServerSecrets, saveSecrets } from './secrets-file.ts';
import type { SigningSecrets } from './signing-secrets.ts';
import { insertAccount, listAccounts } from '../store/accounts.ts';
import { setKeyRequestsPerMinute } from '../store/api-keys.ts';
import type { Database } from '../store/database.ts';

interface EmbeddedAccountOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly billing: Billing;
  readonly signing: SigningSecrets;
  readonly dataDir: string;
  readonly stored: ServerSecrets;
  readonly openingBalance: MicroUsd;
  readonly requestsPerMinute: number;
  /** The key and secret from the configuration. They replace those that an earlier start created. */
  readonly apiKey: string | undefined;
  readonly signingSecret: string | undefined;
}

interface EmbeddedAccount {
  readonly accountId: string;
  readonly apiKey: string;
  readonly signingSecret: string;
}

/** Returns the first account with its key and signing secret, and creates them if they do not exist yet. */
export async function ensureEmbeddedAccount(options: EmbeddedAccountOptions): Promise<EmbeddedAccount> {
  const accountId = ensureAccount(options);
  const apiKey = await ensureApiKey(options, accountId);
  const { signing, signingSecret } = options;
  if (signingSecret !== undefined && !equalSecret(signingSecret, signing.current(accountId))) {
    signing.rotate(accountId, { secret: signingSecret });
  }
  return { accountId, apiKey, signingSecret: signing.current(accountId) };
}

function ensureAccount({ db, clock, billing, openingBalance }: EmbeddedAccountOptions): string {
  return db.transact(() => {
    const first = listAccounts(db)[0];
    if (first) return first.id;
    const id = randomId('acc');
    insertAccount(db, { id, name: 'Embedded', createdAt: clock.now() });
    if (openingBalance > 0) billing.topUp(id, openingBalance);
    return id;
  });
}

async function ensureApiKey(options: EmbeddedAccountOptions, accountId: string): Promise<string> {
  const { db, clock, logger, dataDir, stored, requestsPerMinute } = options;
  const wanted = options.apiKey ?? stored.apiKey;
  const found = wanted === undefined ? undefined : findApiKey(db, wanted);
  if (wanted !== undefined && found && (found.revokedAt === null || options.apiKey !== undefined)) {
    if (found.revokedAt !== null) logger.warn({ keyId: found.id }, 'The configured API key is revoked');
    setKeyRequestsPerMinute(db, found.id, requestsPerMinute);
    return wanted;
  }
  const made = createApiKey(db, clock, {
    accountId,
    name: 'Embedded',
    requestsPerMinute,
    text: options.apiKey,
  });
  if (options.apiKey === undefined) await saveSecrets(dataDir, { ...stored, apiKey: made.text });
  return made.text;
}
