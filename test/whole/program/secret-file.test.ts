import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { SecretFile } from '../../../src/program/roles/secret-file.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';
import { useFolder } from '../../helpers/use-folder.ts';

test('secrets that change in their file are soon in use, and the last ones stay while it cannot be read', async () => {
  const path = join(await useFolder(), 'secret');
  await writeFile(path, 'first\n');
  const clock = new FakeClock();
  const logged: string[] = [];
  const file = await SecretFile.open({ path, clock, log: recordingLogger(logged) });
  onTestFinished(() => file[Symbol.dispose]());
  expect([file.first, file.all]).toEqual(['first', ['first']]);

  await writeFile(path, 'second, first');
  await expect.poll(async () => (await clock.advance(2_000), file.all)).toEqual(['second', 'first']);

  await rm(path);
  await expect
    .poll(async () => (await clock.advance(2_000), logged.join('\n')))
    .toContain('the last one stays');
  expect(file.first).toBe('second');
  expect(logged.join('\n')).not.toContain('first');
  await writeFile(path, 'two words');
  await clock.advance(2_000);
  expect(file.first).toBe('second');
});

test('without an initial secret, the program does not start', async () => {
  const path = join(await useFolder(), 'secret');
  const open = () => SecretFile.open({ path, clock: new FakeClock(), log: recordingLogger([]) });
  await expect(open()).rejects.toThrow('Cannot read the secret');
  await writeFile(path, '');
  await expect(open()).rejects.toThrow('must be printable characters');
});
