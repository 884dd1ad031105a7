import { expect, test } from 'vitest';
import { readJson } from '../../src/base/read-json.ts';

test.each([
  ['{"a":[1,null]}', { a: [1, null] }],
  ['null', null],
  ['false', false],
  ['', undefined],
  ['{"a":', undefined],
  ['undefined', undefined],
])('%j is read as %j', (text, value) => {
  expect(readJson(text)).toEqual(value);
});
