import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ConsoleClient, askRaw } from '../../media-server/console/console-client.ts';
import { useDatabase } from '../../media-server/use-database.ts';
import { useFolder } from '../../helpers/use-folder.ts';
import { useProgram } from './use-program.ts';

const ENV = {
  MEDIA_SERVER_PORT: '0',
  MEDIA_SERVER_CONSOLE_ORIGINS: 'https://media.example.com',
  LOG_LEVEL: 'debug',
};
const PASSWORD = /[a-z2-7]{5}(?:-[a-z2-7]{5}){3}/g;

test('the first start prints the password of the console once, apart from the log, and the console creates another one', async () => {
  const cwd = await useFolder();
  const first = useProgram(['media-server'], ENV, cwd);
  const ready = await first.ready();
  expect(ready).toMatchObject({
    ready: 'media-server',
    console: expect.stringMatching(/^http.*\/console\/$/),
  });
  const [password = ''] = first.stderr.match(PASSWORD) ?? [];
  const client = new ConsoleClient(String(ready['console']));
  expect((await client.logIn(password)).status).toBe(204);
  const statusAt = async (host: string): Promise<number> =>
    (await askRaw(`${client.url}api/session`, { headers: { host } })).status;
  expect([await statusAt('media.example.com'), await statusAt('other.example.com')]).toEqual([200, 404]);
  first.kill('SIGTERM');
  await first.ended();
  const lines = first.stderr.split('\n').filter((line) => line.includes(password));
  expect(lines).toEqual([`Its password, shown only now: ${password}`]);
  expect(first.lines.join('\n')).not.toContain(password);

  const again = useProgram(['media-server'], ENV, cwd);
  const url = String((await again.ready())['console']);
  expect(again.stderr).not.toMatch(PASSWORD);
  const made = useProgram(['console', 'password'], {}, cwd);
  expect((await made.ended()).code).toBe(0);
  const [next = ''] = made.lines;
  const other = new ConsoleClient(url);
  expect((await other.logIn(password)).status).toBe(401);
  expect((await other.logIn(next)).status).toBe(204);
  const database = useDatabase(join(cwd, 'data', 'media-server'));
  expect(JSON.stringify(database.all('SELECT * FROM consolePassword'))).not.toContain(next);
});
