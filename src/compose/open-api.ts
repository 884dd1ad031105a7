import type { Database } from '../../db/database.ts';
import { RateLog } from '../../db/rate-log.ts';
import { derivedId } from '../base/ids.ts';
import { MediaApi } from '../media-api/media-api.ts';
import type { Basics } from './basics.ts';
import { SETTING_DEFAULTS } from '../bot/settings/setting-defaults.ts';

/** Opens the client of the service. All processes that use the database share the API key's rate limit. */
export function openApi({ options: { mediaApi }, owned, clock, log }: Basics, db: Database): MediaApi {
  const defaults = SETTING_DEFAULTS.mediaApi;
  const { baseUrl, apiKey, limits = {} } = mediaApi;
  const { requestsPerMinute = defaults.requestsPerMinute, allowInsecureHttp = defaults.allowHttp } = mediaApi;
  const currentKey = typeof apiKey === 'function' ? apiKey : (): string => apiKey;
  const rateLog = new RateLog(db, () => derivedId('key', currentKey()));
  const account = { baseUrl, apiKey, requestsPerMinute, allowInsecureHttp, limits };
  return owned.use(new MediaApi({ ...account, rateLog, clock, logger: log }));
}
