import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const RUN = join(import.meta.dirname, 'run.ts');

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [RUN, ...args], (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

test('a server that is not the service fails, and the last line counts its failures', async () => {
  const server = createServer((_request, response) => response.writeHead(404).end('<html>'));
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}/api/v1`;
  const { code, stdout } = await run('--base-url', base, '--key', 'canary', '--read-only');
  const failed = stdout.split('\n').filter((line) => line.includes('×')).length;
  expect(failed).toBeGreaterThan(5);
  expect([code, stdout.trimEnd().split('\n').at(-1)]).toEqual([
    1,
    expect.stringMatching(`^The service does not conform: ${failed} failed, \\d+ passed, \\d+ skipped$`),
  ]);
  expect(stdout).not.toContain('canary');
});

test('a missing argument is reported in one line, with the usage', async () => {
  const { code, stderr } = await run('--base-url', 'http://127.0.0.1');
  expect([code, stderr.split('\n')[0]]).toEqual([2, expect.stringContaining('--base-url needs')]);
});
