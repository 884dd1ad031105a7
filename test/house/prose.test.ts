import { describe, expect, test } from 'vitest';
import { proseOffences } from './prose-tree.ts';
import { offencesIn, passagesOfDocument, passagesOfSource, problemsOfSubject } from './prose.ts';

test('the repository has no offence against plain English', async () => {
  expect(Object.fromEntries(await proseOffences())).toEqual({});
});

describe('the check itself', () => {
  const found = (text: string): readonly string[] =>
    offencesIn({ text, hasSentences: true }).map((offence) => offence.found);

  test.each([
    ['The worker tells the member.', 'tells'],
    ['Starts anew.', 'anew'],
    ['Whoever opened it closes it.', 'Whoever'],
    ['It is not needed any more.', 'not needed any more'],
    ['The member cannot speak now, which nobody hears anymore.', 'nobody hears anymore'],
    ['A power is dear here.', 'dear'],
    ['Of what was made.', 'Of what was made.'],
    ['It is done. So it ends.', 'So it ends.'],
    ['What runs in browsers.', 'What runs in browsers.'],
  ])('%s', (text, offence) => {
    expect(found(text)).toEqual([offence]);
  });

  test.each([
    'Two jobs that nobody can tell apart.',
    'Returns the `tell` function.',
    'What happens after a crash?',
    'The bot accepts so many jobs. Often it waits.',
    'Some more is needed.',
  ])('%s is accepted', (text) => {
    expect(found(text)).toEqual([]);
  });

  test('comments, test names, logs and errors of sources are read, and other texts are not', () => {
    const source = [
      '/** Shall be',
      ' * anew. */',
      '// One comment,',
      '// which just',
      '// now goes on.',
      "test.each([1])('it tells %s', () => undefined);",
      "log.warn({}, 'Whoever');",
      "throw new BotError('disposed', `It told ${name}`);",
      "reply('Shall I tell you?');",
    ].join('\n');
    const offences = passagesOfSource('a.ts', source).flatMap(offencesIn);
    expect(offences.map((offence) => offence.found)).toEqual([
      'anew',
      'Shall',
      'just now',
      'tells',
      'Whoever',
      'told',
    ]);
  });

  test('blocks of code and headings of documents are no sentences', () => {
    const text = '# What it is\n\nGood.\n\n```text\nanew\n```\n\n- Of an item\n| cell | shall |\n';
    const offences = passagesOfDocument(text).flatMap(offencesIn);
    expect(offences.map((offence) => offence.found)).toEqual(['Of an item', 'shall']);
  });

  test.each(['Share setup between chat page tests', 'Process jobs by turn', 'Bring files in children'])(
    'the subject "%s" is accepted',
    (subject) => {
      expect(problemsOfSubject(subject)).toEqual([]);
    },
  );

  test.each([
    'Chat page: buttons share a row',
    'Tests of amounts',
    'Added a test',
    'fix a bug',
    'Fix a bug.',
    'The bot answers',
    'Start the worker anew',
    `Explain ${'much '.repeat(15)}`,
  ])('the subject "%s" is refused', (subject) => {
    expect(problemsOfSubject(subject)).not.toEqual([]);
  });
});
