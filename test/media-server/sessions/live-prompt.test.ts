import { expect, test } from 'vitest';
import { readLivePrompt } from '../../../src/media-server/sessions/live/live-prompt.ts';

const FACES = [
  { id: 'elderly-man', description: 'an elderly man with grey hair' },
  { id: 'young-woman', description: 'a young woman with curly hair' },
  { id: 'bearded-man', description: 'a man with a dark beard' },
];

test.each([
  ['', 'elderly-man'],
  ['Surprise me', 'elderly-man'],
  ['Wear the face of the woman', 'young-woman'],
  ['young-woman', 'young-woman'],
  ['as YOUNG  WOMAN, please', 'young-woman'],
  ['somebody with a beard', 'bearded-man'],
  ['a man', 'elderly-man'],
  ['an old man with a dark beard', 'bearded-man'],
  ['bearded man with grey hair, elderly', 'bearded-man'],
  ['curly', 'young-woman'],
  ['a woMan', 'young-woman'],
  ['mankind', 'elderly-man'],
  ['und ein Bärtiger', 'elderly-man'],
])('%j means %s', (prompt, id) => {
  expect(readLivePrompt(prompt, FACES)).toEqual({ face: FACES.find((face) => face.id === id) });
});

test.each([
  ['api/up_abc234', 'api/up_abc234'],
  ['Swap my face with the young woman in api/up_abc234.', 'api/up_abc234'],
  ['(api/up_a), then api/up_b', 'api/up_a'],
])('%j means the picture %s', (prompt, fileKey) => {
  expect(readLivePrompt(prompt, FACES)).toEqual({ fileKey });
});

test.each(['https://host/api/up_a', 'rapi/up_a', 'api/', 'api /up_a'])(
  '%j contains no file key',
  (prompt) => {
    expect(readLivePrompt(prompt, FACES)).toEqual({ face: FACES[0] });
  },
);

test('if no face is offered only a picture can be used', () => {
  expect(readLivePrompt('young woman', [])).toBeUndefined();
  expect(readLivePrompt('api/up_a', [])).toEqual({ fileKey: 'api/up_a' });
});
