import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const PROGRAM = `
import { once } from 'node:events';
await import(FETCHER);
const { REST } = await import('discord.js');
const { createServer } = await import('node:http');
const server = createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"arrived":true}'));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const rest = new REST({ api: 'http://127.0.0.1:' + server.address().port });
const files = [{ name: 'a.txt', data: Buffer.from('a') }];
console.log(JSON.stringify(await rest.patch('/x', { auth: false, body: {}, files })));
server.close();
server.closeAllConnections();
process.exit(0);
`;

it("leaves a host's discord.js able to upload files, though it loads a newer HTTP client", async () => {
  const fetcher = JSON.stringify(new URL('../../src/discord/attachment-fetcher.ts', import.meta.url).href);
  const program = PROGRAM.replace('FETCHER', fetcher);

  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    cwd: new URL('../..', import.meta.url).pathname,
    timeout: 20_000,
  });

  expect(stdout).toBe('{"arrived":true}\n');
});
