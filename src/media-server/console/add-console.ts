import type { FastifyInstance } from 'fastify';
import { BuiltPage, PageError } from '../../base/pages/built-page.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { MediaAdmin } from '../media-admin.ts';
import type { Database } from '../store/database.ts';
import { type BoardOptions, ConsoleBoard } from './board.ts';
import { BoardWatch } from './board-watch.ts';
import { consoleRoutes } from './console-routes.ts';
import { LogIns } from './log-ins.ts';

interface ConsoleOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly admin: MediaAdmin;
  readonly capabilities: BoardOptions['capabilities'];
  /** The origins at which callers from other machines reach the console. */
  readonly origins: readonly string[];
}

/**
 * Adds the console page at `/console/`. Dispose the returned watch before the server closes, because open
 * event streams keep it from closing. Returns `undefined` and logs a warning if the pages were not built.
 */
export async function addConsole(
  app: FastifyInstance,
  options: ConsoleOptions,
): Promise<BoardWatch | undefined> {
  const { db, clock, logger, admin, capabilities, origins } = options;
  const page = await openPage(logger);
  if (!page) return undefined;
  const board = new ConsoleBoard({ db, admin, capabilities });
  const watch = new BoardWatch({ db, clock, logger, board });
  const services = { page, admin, board, watch, logIns: new LogIns(db, clock), logger, origins };
  void app.register(async (scope) => consoleRoutes(scope, services), { prefix: '/console' });
  return watch;
}

/** Opens the built page. A missing page is only logged, because the API works without its console. */
async function openPage(logger: Logger): Promise<BuiltPage | undefined> {
  try {
    return await BuiltPage.open('console');
  } catch (error) {
    if (!(error instanceof PageError)) throw error;
    logger.warn({ error }, 'The console page is not served');
    return undefined;
  }
}
