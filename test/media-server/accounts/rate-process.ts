import { once } from 'node:events';
import { join } from 'node:path';
import { ServiceError } from '../../../src/base/errors.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { findApiKey } from '../../../src/media-server/accounts/api-keys.ts';
import { spendRequest } from '../../../src/media-server/accounts/spend-request.ts';
import { Database } from '../../../src/media-server/store/database.ts';

/** Makes 40 requests with the key, in the same minute as its sibling processes, and reports how many were admitted. */
const [dataDir = '', text = ''] = process.argv.slice(2);
using db = new Database(join(dataDir, 'media-server.db'));
const key = findApiKey(db, text);
if (!key) throw new Error('There is no such key');
const clock = new FakeClock();
process.send?.('ready');
await once(process, 'message');
let passed = 0;
for (let count = 0; count < 40; count++) {
  try {
    spendRequest(db, clock, key);
    passed += 1;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'rate_limited') throw error;
  }
}
process.send?.(passed);
process.disconnect();
