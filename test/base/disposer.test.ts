import { expect, test } from 'vitest';
import { Disposer } from '../../src/base/disposer.ts';

test('resources are disposed in reverse order, once, however often the disposer is disposed', async () => {
  const disposer = new Disposer();
  const gone: string[] = [];
  disposer.defer(() => gone.push('first'));
  disposer.use({ [Symbol.dispose]: () => void gone.push('second') });
  disposer.use({ [Symbol.asyncDispose]: () => Promise.resolve(void gone.push('third')) });
  await Promise.all([disposer[Symbol.asyncDispose](), disposer[Symbol.asyncDispose]()]);
  expect(gone).toEqual(['third', 'second', 'first']);
});

test('a failure does not stop the rest, and all failures are combined', async () => {
  const disposer = new Disposer();
  const gone: string[] = [];
  disposer.defer(() => gone.push('kept its turn'));
  disposer.defer(() => Promise.reject(new Error('Second')));
  disposer.defer(() => {
    throw new Error('First');
  });
  await expect(disposer[Symbol.asyncDispose]()).rejects.toMatchObject({
    errors: [new Error('First'), new Error('Second')],
  });
  expect(gone).toEqual(['kept its turn']);
});
