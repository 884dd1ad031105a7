import { expect, test } from 'vitest';
import { optionalModule } from '../../src/media-server/engine/optional-module.ts';

test('a missing optional package is named', async () => {
  const name = '@nobody/no-such-package';
  await expect(optionalModule(name, import(name))).rejects.toThrow(
    'Cannot run the media engine: install the optional package "@nobody/no-such-package"',
  );
});

test('an installed package that fails to load keeps its own error', async () => {
  await expect(optionalModule('broken', Promise.reject(new TypeError('Broken inside')))).rejects.toThrow(
    'Broken inside',
  );
});
