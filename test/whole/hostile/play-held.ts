import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Disposer } from '../../../src/base/disposer.ts';
import { Program } from '../program/use-program.ts';
import { Attacker } from './attacker.ts';
import { type Attack, heldConnections } from './attacks.ts';
import { freePort } from './free-port.ts';
import { HonestCallers } from './honest-callers.ts';
import { type ProcessMost, watchProcess } from './process-watch.ts';

interface Server {
  /** The command that starts the server, and the environment with which it listens on a given port. */
  readonly command: string;
  readonly env: (port: number) => Readonly<Record<string, string>>;
  /** The path of a page, and a path that accepts a request body. */
  readonly page: string;
  readonly body: string;
  /** Whether the page has files; otherwise the page itself is requested. */
  readonly hasFiles: boolean;
}

const MEDIA_SERVER: Pick<Server, 'command' | 'env'> = {
  command: 'media-server',
  env: (port) => ({ MEDIA_SERVER_PORT: String(port) }),
};

export type ServerName = 'the media server' | 'the console' | 'the chat page';

/** The servers that may be reached from other machines, apart from the bot's web server. */
const SERVERS: Readonly<Record<ServerName, Server>> = {
  'the media server': { ...MEDIA_SERVER, page: '/api/v1/pricing', body: '/api/v1/uploads', hasFiles: false },
  'the console': { ...MEDIA_SERVER, page: '/console/', body: '/console/api/session', hasFiles: true },
  'the chat page': {
    command: 'sandbox',
    // With a host and a port of its own, the page's server applies the same rules as on a network.
    env: (port) => ({
      CHAT_PAGE_HOST: '127.0.0.1',
      CHAT_PAGE_PORT: String(port),
      CHAT_PAGE_URL: `http://127.0.0.1:${port}`,
    }),
    page: '/chat/',
    body: '/control/uploads',
    hasFiles: true,
  },
};
export const SERVER_NAMES: readonly ServerName[] = Object.keys(SERVERS) as ServerName[];

/** More than the 220 MB that a server uses without held connections. */
export const MEGABYTES_MAX = 512;
/** The server's maximum number of connections, plus 200 for its files (about 60) and for connections being opened. */
export const DESCRIPTORS_MAX: Readonly<Record<ServerName, number>> = {
  'the media server': 1_024 + 200,
  'the console': 1_024 + 200,
  'the chat page': 256 + 200,
};

export interface HeldFigures extends ProcessMost {
  /**
   * The honest callers' results during each attack, labelled with the attack's name: which requests failed, and how
   * many requests ended, including those that failed.
   */
  readonly failed: readonly string[];
  readonly answered: Readonly<Record<string, number>>;
  readonly slowestMs: number;
}

export interface HeldOptions {
  /** Number of connections that each kind of attack holds. */
  readonly sockets: number;
  /** How long honest callers send requests during each kind of attack, in milliseconds. */
  readonly lookMs: number;
}

/**
 * Starts a server, and sends requests as honest callers do while more and more connections of every kind are
 * held.
 */
export async function playHeld(name: ServerName, options: HeldOptions): Promise<HeldFigures> {
  const { command, env, page, body, hasFiles } = SERVERS[name];
  await using owned = new Disposer();
  const dataDir = await mkdtemp(join(tmpdir(), 'masquerade-held-'));
  owned.defer(() => rm(dataDir, { recursive: true, force: true }));
  const port = await freePort();
  const program = new Program([command], { ...env(port), LOG_LEVEL: 'warn', DATA_DIR: dataDir }, dataDir);
  owned.defer(async () => {
    program.kill('SIGKILL');
    await program.ended();
  });
  await program.ready();
  const host = `127.0.0.1:${port}`;
  const url = `http://${host}`;
  const file = hasFiles ? await fileOf(url, page) : page;
  const attacker = owned.use(await Attacker.open());
  const over = new AbortController();
  const most = watchProcess(program.pid, over.signal);
  const failed: string[] = [];
  const answered: Record<string, number> = {};
  let slowestMs = 0;
  for (const { name: attackName, ...attack } of heldConnections({ host, page, file, body })) {
    const { asked, ...figures } = await askDuring(attack, { url, paths: [page, file], attacker, options });
    failed.push(...figures.failed.map((what) => `${attackName}: ${what}`));
    answered[attackName] = asked;
    slowestMs = Math.max(slowestMs, figures.maxMs);
  }
  over.abort();
  if (!program.isAlive) failed.push('The program died');
  return { failed, answered, slowestMs, ...(await most) };
}

async function askDuring(
  attack: Omit<Attack, 'name'>,
  { url, paths, attacker, options }: AskOptions,
): Promise<ReturnType<HonestCallers['figures']>> {
  const callers = new HonestCallers({ url, paths });
  const asking = new AbortController();
  const asked = callers.askUntil(asking.signal);
  await attacker.hold({ url, count: options.sockets, ...attack });
  await wait(options.lookMs);
  asking.abort();
  await asked;
  return callers.figures();
}

interface AskOptions {
  readonly url: string;
  readonly paths: readonly string[];
  readonly attacker: Attacker;
  readonly options: HeldOptions;
}

/** Returns the path of a page's script. */
export async function fileOf(url: string, page: string): Promise<string> {
  const html = await (await fetch(url + page)).text();
  const [, src] = /<script[^>]* src="([^"]+)"/.exec(html) ?? [];
  if (src === undefined) throw new TypeError(`The page at ${page} has no script`);
  return new URL(src, url + page).pathname;
}
