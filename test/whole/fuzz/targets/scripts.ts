import { readFile, writeFile } from 'node:fs/promises';
import { admitText } from '../../../../src/bot/jobs/inputs/admit-text.ts';
import { SCRIPT_LENGTH_MAX } from '../../../../src/media-api/field-limits.ts';
import { type FuzzTarget, demand } from '../target.ts';

const MARKS = ['', '\ufeff', '\ufeff\ufeff'];
const PARTS = [
  'Hello there. ',
  'Grüße 𝕬 ',
  '\u202e',
  '\ud83d',
  '\0',
  '\r\n',
  ' '.repeat(500),
  '1'.repeat(300),
  '\u00a0',
];

/** Scripts that members attach as files. */
export const scripts: FuzzTarget = {
  name: 'scripts',
  generate(random) {
    const text =
      random.pick(MARKS) +
      Array.from({ length: random.count(random.happens(10) ? 3_000 : 40) }, () =>
        random.pick(random.happens(99) ? PARTS.slice(0, 2) : PARTS),
      ).join('');
    return Buffer.from(text, random.happens(85) ? 'utf8' : random.pick(['utf16le', 'latin1']));
  },
  async run(input, { path }) {
    await writeFile(path, input);
    if (await admitText(path)) return 'refused';
    const after = await readFile(path);
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(after);
    demand(
      text !== '' && text === text.trim() && text.length <= SCRIPT_LENGTH_MAX,
      'a text is not in the promised form',
    );
    demand(!text.includes('\0'), 'a text contains a zero character');
    demand((await admitText(path)) === undefined, 'an admitted text is refused the second time');
    demand((await readFile(path)).equals(after), 'an admitted text is changed the second time');
    return 'accepted';
  },
};
