import { expect, it } from 'vitest';
import { useProgram } from '../program/use-program.ts';
import { useFolder } from '../use-folder.ts';
import { Attacker } from './attacker.ts';
import { WEB_ATTACKS } from './attacks.ts';
import { HonestCallers } from './honest-callers.ts';

const SECRET = 'whsec_of_this_test';
const SOCKETS = 1_000;
const LOOK_MS = 1_000;
const QUICK_MS = 2_000;
/** Attacks that end later are left to `npm run hostile`. */
const ENDS_MS_MAX = 20_000;

it.each(['127.0.0.1', '::1'])(
  `keeps nobody out at %s while ${SOCKETS} connections of every kind are held`,
  { timeout: 180_000 },
  async (host) => {
    const env = { PORT: '0', MEDIA_SERVER_PORT: '0', HOST: host, MEDIA_SERVER_SIGNING_SECRET: SECRET };
    const program = useProgram(['start'], env, await useFolder());
    const url = String((await program.ready())['web']);
    await using attacker = await Attacker.open();

    for (const { name, ...attack } of WEB_ATTACKS) {
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
