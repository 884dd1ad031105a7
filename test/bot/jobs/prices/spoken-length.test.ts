import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { spokenLength } from '../../../../src/bot/jobs/prices/spoken-length.ts';
import { Speaker } from '../../../../src/media-server/engine/speech/speaker.ts';

/** The slowest of the embedded voices. */
const SLOWEST = 'deep-narrator';

let speaker: Speaker;

beforeAll(async () => {
  speaker = await Speaker.load();
});

/** Returns the seconds that the embedded media server bills, or 0 for text in which it cannot say anything. */
async function spokenSeconds(text: string): Promise<number> {
  const said = /[a-z0-9]/i.test(text.normalize('NFKD'));
  if (!said) return 0;
  const speech = speaker.speak(text, { voiceId: SLOWEST }, new AbortController().signal);
  const { samples, sampleRateHz } = await speech.catch((error: Error) => {
    if (/no words/.test(error.message)) return { samples: [], sampleRateHz: 1 };
    throw error;
  });
  return samples.length / sampleRateHz;
}

const PROSE: readonly (readonly [string, string])[] = [
  [
    'a story',
    'The weather was fine this morning, and everybody in the village went down to the river to swim. Nobody thought of the storm that was coming. By noon the sky had turned grey, and the wind began to howl through the trees.',
  ],
  [
    'a channel’s greeting',
    "Hi everyone, welcome back! Today I'm going to show you how we built the new server in just 3 weeks, what it cost us ($1,250 a month), and why we'd do it again. Don't forget to like and subscribe; it really helps. See you on 12 May at 7:30 pm.",
  ],
  [
    'a speech',
    'Four score and seven years ago our fathers brought forth upon this continent a new nation, conceived in liberty, and dedicated to the proposition that all men are created equal.',
  ],
];

describe('ordinary prose', () => {
  test.each(PROSE)(
    'is estimated within a third of the time of the slowest voice: %s',
    async (_what, text) => {
      const { likely, most } = spokenLength(text);
      const seconds = await spokenSeconds(text);

      expect(likely / seconds).toBeGreaterThan(0.95);
      expect(likely / seconds).toBeLessThan(1.34);
      expect(most / likely).toBeLessThan(2);
    },
  );
});

/** Text that takes much longer than 12 characters a second. */
const HARD: readonly (readonly [string, string])[] = [
  ['digits in a row', '1234567890'.repeat(8)],
  ['sevens', '7'.repeat(80)],
  ['single digits', '1 '.repeat(30)],
  ['thousands', '777,777,777 '.repeat(5)],
  ['amounts of money', '$777,777.77 €77.77 £7 '.repeat(3)],
  ['percentages, fractions and degrees', '77% 1/77 77° 77th '.repeat(4)],
  ['times and dates', '11:37 11/17/1977 1977-07-27 '.repeat(4)],
  ['signs', '@ & + = × ° % '.repeat(6)],
  ['dollar signs', '$$$$ $ $ a'],
  ['single letters', 'w b c x '.repeat(8)],
  ['spelled capitals', 'WWW BBC HTTP XQ '.repeat(5)],
  ['letters that form no words', 'xkcd bcdfg wwwwww '.repeat(5)],
  ['a web address', 'https://www.x.y/a?b=c&d=e '.repeat(4)],
  ['an e-mail address', 'j.w.x@www.example.com '.repeat(4)],
  ['an ellipsis after each word', 'go... '.repeat(15)],
  ['each word as a sentence', 'Go! '.repeat(15)],
  ['lines of one letter', 'w\n'.repeat(15)],
  ['one very long word', 'abcdefghij'.repeat(20)],
  ['one endlessly repeated letter', 'a'.repeat(120)],
  ['roman numerals', 'Henry VIII, XVIII LXXXVIII '.repeat(4)],
  ['tags', '<break time="10s"/> <say-as interpret-as="characters">www</say-as> '.repeat(2)],
  ['letters that Unicode combines', '℡㏂ﬃ①⁷７𝟕½ßþ'.repeat(4)],
  ['letters with accents', 'é à ü ö ł đ ø '.repeat(6)],
  ['several scripts', 'go 去 идти 가다 7 行く w '.repeat(5)],
  ['states', 'Boston, MA, Wheeling, WV, Los Angeles, CA '.repeat(3)],
];

describe('the time of a voice never exceeds the upper bound', () => {
  test.each(HARD)('of %s', async (_what, text) => {
    expect(await spokenSeconds(text)).toBeLessThanOrEqual(spokenLength(text).most);
  });

  test('for any text', async () => {
    const letters = (from: string): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom(...Array.from(from)), minLength: 1, maxLength: 12 });
    const token = fc.oneof(
      letters('abcdefghijklmnopqrstuvwxyz'),
      letters('ABCDEFGHIJKLMNOPQRSTUVWXYZ'),
      letters('aeiouy'),
      letters('0123456789'),
      letters('0123456789.,:/-$€%'),
      letters('@&+=×°#*~^|<>/\\_-'),
      letters('.,;:!?…"()\'\n '),
      fc.constantFrom('St.', 'Dr.', 'lbs', 'WV', 'XLIV', "don't", 'e.g.', '½', 'ß', 'naïve', '去', 'ы', '🦊'),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    );
    const text = fc
      .array(fc.tuple(token, fc.constantFrom('', ' ', ' ', ', ', '. ', '\n')), {
        minLength: 1,
        maxLength: 12,
      })
      .map((parts) => parts.flat().join(''));

    await fc.assert(
      fc.asyncProperty(text, async (script) => {
        expect(await spokenSeconds(script)).toBeLessThanOrEqual(spokenLength(script).most);
      }),
      { numRuns: 25 },
    );
  });
});

/**
 * The seconds that a native reader needs at a calm pace for each text, measured with eSpeak NG at 150 words per minute.
 */
test.each<[string, string, number]>([
  [
    'German',
    'Heute Morgen war das Wetter schön, und alle im Dorf gingen zum Fluss hinunter, um zu schwimmen.',
    6.5,
  ],
  ['Russian', 'Сегодня утром погода была прекрасная, и все в деревне пошли купаться на реку.', 5.3],
  ['Chinese', '今天早上天气很好，村里的每个人都到河边去游泳。', 6.5],
  ['Japanese', 'けさはてんきがよくて、むらのみんながかわへおよぎにいきました。', 4.7],
  ['Korean', '오늘 아침은 날씨가 좋아서 마을 사람들은 모두 강으로 수영하러 갔습니다.', 6.6],
  ['Arabic', 'كان الطقس جميلا هذا الصباح، وذهب الجميع في القرية إلى النهر للسباحة.', 7.4],
  ['Hindi', 'आज सुबह मौसम अच्छा था और गाँव के सभी लोग नदी में तैरने गए।', 5.0],
])('%s takes about as long as it is spoken', (_language, text, seconds) => {
  const { likely, most } = spokenLength(text);

  expect(likely / seconds).toBeGreaterThan(0.7);
  expect(likely / seconds).toBeLessThan(1.5);
  expect(most).toBeGreaterThan(seconds);
});

test('estimates the longest script of any kind quickly', () => {
  for (const unit of ['a', '1', ' ', '.', "'", 'ﷺ', '👩‍👩‍👧‍👦', 'a\u0301', '\n']) {
    const { likely, most } = spokenLength(unit.repeat(5_000));
    expect(most).toBeGreaterThanOrEqual(likely);
    expect(Number.isFinite(most)).toBe(true);
  }
});
