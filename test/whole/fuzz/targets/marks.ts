import { readFile, writeFile } from 'node:fs/promises';
import { markFile } from '../../../../src/bot/media/marks/mark-file.ts';
import { sourceTypeUri } from '../../../../src/bot/media/marks/source-type.ts';
import { Hand } from '../grammar/hand.ts';
import type { Random } from '../random.ts';
import { type FuzzTarget, demand } from '../target.ts';
import { gifFile, gifSeeds } from './gif.ts';
import { jpegFile, jpegSeeds } from './jpeg.ts';
import { matroska } from './matroska.ts';
import { mp4 } from './mp4.ts';
import { pngFile } from './png.ts';
import { webpFile, webpSeeds } from './webp.ts';

const TYPE = 'trainedAlgorithmicMedia';
/** The maximum size of a mark, including data that it may need around it, such as a header. */
const MARK_BYTES_MAX = 2_000;

/** Marks in result pictures, which may come from any service. */
export const jpegMarks: FuzzTarget = markTarget(
  'jpeg-marks',
  'image/jpeg',
  (random, seeds) => jpegFile(new Hand(random), random.pick(seeds)),
  jpegSeeds,
);
export const pngMarks: FuzzTarget = markTarget('png-marks', 'image/png', (random) =>
  pngFile(new Hand(random)),
);
export const gifMarks: FuzzTarget = markTarget(
  'gif-marks',
  'image/gif',
  (random, seeds) => gifFile(new Hand(random), random.pick(seeds)),
  gifSeeds,
);
export const webpMarks: FuzzTarget = markTarget(
  'webp-marks',
  'image/webp',
  (random, seeds) => webpFile(new Hand(random), random.pick(seeds)),
  webpSeeds,
);
/** Marks in result clips. */
export const mp4Marks: FuzzTarget = markTarget('mp4-marks', 'video/mp4', (random) =>
  mp4.generate(random, []),
);
export const webmMarks: FuzzTarget = markTarget('webm-marks', 'video/webm', (random) =>
  matroska.generate(random, []),
);

function markTarget(
  name: string,
  mime: string,
  generate: (random: Random, seeds: readonly Buffer[]) => Buffer,
  seeds?: () => Promise<readonly Buffer[]>,
): FuzzTarget {
  return {
    name,
    ...(seeds && { seeds }),
    generate,
    async run(input, { path }) {
      const mark = async (): Promise<boolean> =>
        (await markFile(path, { mime, type: TYPE }, new AbortController().signal)) === 'marked';
      await writeFile(path, input);
      if (!(await mark())) {
        demand((await readFile(path)).equals(input), 'a file that cannot be marked is changed');
        return 'refused';
      }
      const once = await readFile(path);
      demand(once.includes(sourceTypeUri(TYPE)), 'a marked file has no mark');
      demand(once.length <= input.length + MARK_BYTES_MAX, 'a mark is larger than necessary');
      demand(await mark(), 'a marked file cannot be marked again');
      demand(
        (await readFile(path)).length <= once.length + (mime === 'video/mp4' ? MARK_BYTES_MAX : 0),
        'a file grows with each mark',
      );
      return 'accepted';
    },
  };
}
