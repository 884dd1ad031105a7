import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useSandbox } from '../helpers/use-sandbox.ts';

const BOT = join(import.meta.dirname, 'voice-process.ts');

test('a bot in another process is admitted if it is started with the certificate', async () => {
  const sandbox = await useSandbox();
  const guild = sandbox.addGuild('Film club');
  const lounge = guild.addVoiceChannel('Lounge');
  const run = async (env: Record<string, string>): Promise<string> => {
    const args = [BOT, sandbox.token, sandbox.apiUrl, guild.id, lounge.id];
    const options = { env: { PATH: process.env['PATH'] ?? '', ...env }, timeout: 30_000 };
    return (await promisify(execFile)(process.execPath, args, options)).stdout;
  };
  expect(await run({ NODE_EXTRA_CA_CERTS: sandbox.caFile })).toBe('ready');
  expect(await run({})).toMatch(/self-signed certificate/);
});
