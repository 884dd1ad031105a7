import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const PROGRAM = `
const slot = Symbol.for('undici.globalDispatcher.1');
const mine = { mine: true };
globalThis[slot] = mine;
const { request } = await import('./src/base/http-client.ts');
console.log(typeof request, globalThis[slot] === mine);
`;

test('does not change the HTTP dispatcher that other libraries share', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM]);

  expect(stdout.trim()).toBe('function true');
});
