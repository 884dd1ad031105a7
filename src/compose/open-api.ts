import type { Database } from '../../db/database.ts';
import { RateLog } from '../../db/rate-log.ts';
import { derivedId } from '../base/ids.ts';
import { MediaApi } from '../media-api/media-api.ts';
import type { Basics } from './basics.ts';

/** The client of the service; all processes with the database share its rate limit. `onKey` hears what becomes of the key. */
export function openApi(
  { options: { mediaApi }, owned, clock, log }: Basics,
  db: Database,
  onKey: (state: 'accepted' | 'refused') => void,
): MediaApi {
  const { baseUrl, apiKey, requestsPerMinute = 60, allowInsecureHttp = false, limits = {} } = mediaApi;
  const keyNow = typeof apiKey === 'function' ? apiKey : (): string => apiKey;
  const rateLog = new RateLog(db, () => derivedId('key', keyNow()));
  const account = { baseUrl, apiKey, requestsPerMinute, allowInsecureHttp, limits };
  return owned.use(new MediaApi({ ...account, rateLog, clock, logger: log, onKey }));
}
