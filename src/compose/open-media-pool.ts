import { Confinement } from '../base/children/confinement.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/log.ts';
import { MediaPool } from '../bot/media/pool/media-pool.ts';

/**
 * Opens a pool of processes that open members' files. Several bots in one process can share the pool: see
 * `MasqueradeOptions.mediaPool`. The caller disposes it after the bots.
 */
export function openMediaPool({
  clock = systemClock,
  logger: log = silentLogger,
}: { readonly clock?: Clock; readonly logger?: Logger } = {}): MediaPool {
  return new MediaPool({ confinement: new Confinement({ log }), clock, log });
}
