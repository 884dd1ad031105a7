import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { VARIABLES } from '../../../src/bot/settings/variables.ts';
import { settingsPage } from './settings-page.ts';

const PAGE_FILE = new URL('../../../docs/settings.md', import.meta.url);

test('docs/settings.md is what the table of settings generates (UPDATE_SETTINGS=1 writes it)', async () => {
  const page = settingsPage();
  if (process.env['UPDATE_SETTINGS']) await writeFile(PAGE_FILE, page);
  expect(await readFile(PAGE_FILE, 'utf8')).toBe(page);
});

test.each(VARIABLES.map(({ setting, kind }) => [setting.variable, setting, kind] as const))(
  '%s has a default that it may hold, or says what applies without one',
  (_variable, setting, kind) => {
    if (setting.default) expect(kind.read(setting.default)).not.toBeUndefined();
    else expect(setting.unset).toMatch(/\w/);
  },
);

test('no variable is listed twice', () => {
  const names = VARIABLES.map(({ setting }) => setting.variable);
  expect(names).toEqual([...new Set(names)]);
});
