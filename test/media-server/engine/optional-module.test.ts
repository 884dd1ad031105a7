import { expect, test } from 'vitest';
import { optionalModule } from '../../../src/media-server/engine/optional-module.ts';

test('a missing optional package is named', async () => {
  const name = '@nobody/no-such-package';
  await expect(optionalModule(name, import(name))).rejects.toThrow(
    'Cannot run the media engine: install the optional package "@nobody/no-such-package"',
  );
});

test.each([
  ['whose binary for this platform is missing', 'MODULE_NOT_FOUND'],
  ['whose binary does not match', 'ERR_DLOPEN_FAILED'],
])('an installed package %s is distinguished from a missing one', async (_name, code) => {
  const failure = Object.assign(new Error('Broken inside\nRequire stack:\n- /nowhere'), { code });
  const message = `Cannot run the media engine: the optional package "onnxruntime-node" is installed but does not load on ${process.platform} ${process.arch}: Broken inside`;
  await expect(optionalModule('onnxruntime-node', Promise.reject(failure))).rejects.toMatchObject({
    message,
    cause: failure,
  });
});
