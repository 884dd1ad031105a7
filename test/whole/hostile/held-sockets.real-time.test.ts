import { expect, test } from 'vitest';
import { useProgram } from '../program/use-program.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { Attacker } from './attacker.ts';
import { WEB_ATTACKS, unreadFiles } from './attacks.ts';
import { HonestCallers } from './honest-callers.ts';
import { fileOf } from './play-held.ts';
import { watchProcess } from './process-watch.ts';

const SECRET = 'whsec_of_this_test';
const SOCKETS = 1_000;
const LOOK_MS = 1_000;
/** Callers must be answered within this time, before the server closes the first of the held connections. */
const QUICK_MS = 8_000;
/** Attacks that end later are left to `npm run hostile`. */
const ENDS_MS_MAX = 20_000;
/** More memory than the program, sandbox and media server use without these connections. */
const MEGABYTES_MAX = 768;
/** The web server's maximum number of connections, plus the files and connections of everything else. */
const DESCRIPTORS_MAX = 2_000 + 500;

test.each(['127.0.0.1', '::1'])(
  `answers every caller at %s while ${SOCKETS} connections of every kind are held`,
  { timeout: 180_000 },
  async (host) => {
    const env = { PORT: '0', MEDIA_SERVER_PORT: '0', HOST: host, MEDIA_SERVER_SIGNING_SECRET: SECRET };
    const program = useProgram(['start'], env, await useFolder());
    const url = String((await program.ready())['web']);
    await using attacker = await Attacker.open();

    const over = new AbortController();
    const most = watchProcess(program.pid, over.signal);
    for (const { name, ...attack } of [...WEB_ATTACKS, unreadFiles(await fileOf(url, '/live/'))]) {
      const callers = new HonestCallers({ url, secret: SECRET });
      const asking = new AbortController();
      const asked = callers.askUntil(asking.signal);
      await attacker.hold({ url, count: SOCKETS, ...attack });
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      asking.abort();
      await asked;
      const { failed, maxMs } = callers.figures();
      expect({ name, failed, isQuick: maxMs < QUICK_MS || maxMs }).toEqual({
        name,
        failed: [],
        isQuick: true,
      });
    }

    over.abort();
    const { residentMegabytesMax, descriptorsMax } = await most;
    expect(residentMegabytesMax).toBeLessThan(MEGABYTES_MAX);
    expect(descriptorsMax).toBeLessThan(DESCRIPTORS_MAX);

    for (const [index, { name, endsWithinMs }] of WEB_ATTACKS.entries()) {
      if (endsWithinMs === null || endsWithinMs > ENDS_MS_MAX) continue;
      await expect
        .poll(async () => (await attacker.held())[index], { message: name, timeout: 2 * ENDS_MS_MAX })
        .toBe(0);
    }
    const warnings = program.stderr.split('\n').filter((line) => line.includes('"level":"warn"'));
    expect(warnings.length).toBeLessThan(20);
  },
);
