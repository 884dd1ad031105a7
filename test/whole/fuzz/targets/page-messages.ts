import { jpegCodec } from '../../../../src/bot/sessions/live-swap/jpeg-codec.ts';
import { jpegSize } from '../../../../src/media-server/engine/live/jpeg-size.ts';
import { readMicrophone } from '../../../../src/sandbox/page/frames.ts';
import { isKey, passOf } from '../../../../src/bot/web/live/pass-cookie.ts';
import { readOutputMessage, readPageMessage } from '../../../../src/bot/web/live/page-messages.ts';
import { distort, jsonText } from '../grammar/json.ts';
import { picture } from '../grammar/pictures.ts';
import { Hand } from '../grammar/hand.ts';
import { jpegFile } from './jpeg.ts';
import { type FuzzTarget, demand } from '../target.ts';

const KEY = 'k'.repeat(43);
const MESSAGES: readonly unknown[] = [
  { type: 'agree', version: '2026-01' },
  { type: 'start' },
  { type: 'stop' },
  { type: 'share' },
  { type: 'unshare' },
  { type: 'taken' },
];

/** Text messages and cookies that the pages of live sessions send. */
export const pageMessages: FuzzTarget = {
  name: 'page-messages',
  generate(random) {
    if (random.happens(20)) {
      const cookie = random.pick([
        `masquerade_live=${KEY}`,
        `a=b; masquerade_live=${KEY}; c`,
        'masquerade_live',
        `masquerade_live=${KEY};`.repeat(random.count(300)),
      ]);
      return Buffer.from(cookie);
    }
    const message = random.pick(MESSAGES);
    return Buffer.from(jsonText(random, random.happens(50) ? distort(random, message, 15) : message));
  },
  run(input) {
    const text = input.toString('utf8');
    const pass = passOf(text);
    demand(pass === undefined || isKey(pass), 'a cookie contains an invalid key');
    const message = readPageMessage(text) ?? readOutputMessage(text);
    if (!message) return pass === undefined ? 'refused' : 'accepted';
    demand(text.length <= 2_048, 'a message is longer than the limit');
    return 'accepted';
  },
};

/** Binary messages that pages send: camera pictures and microphone sound. */
export const pageFrames: FuzzTarget = {
  name: 'page-frames',
  seeds: async () => [
    await picture().jpeg().toBuffer(),
    Buffer.concat([Buffer.from([1, 0, 0, 0, 9, 0xf8, 0xff, 0xfe])]),
  ],
  generate(random, [jpeg = Buffer.alloc(0), sound = Buffer.alloc(0)]) {
    const hand = new Hand(random, { liePercent: 15 });
    return random.happens(20)
      ? Buffer.concat([sound, random.bytes(random.count(1_500))])
      : jpegFile(hand, jpeg);
  },
  run(input) {
    const translator = jpegCodec.open();
    const sent = translator.toService(input);
    demand(
      sent === null || (sent instanceof Buffer && sent.equals(input)),
      'a picture is changed on its way',
    );
    demand((translator.toPage(input) === null) === (sent === null), 'a picture passes in one direction only');
    const size = jpegSize(input);
    demand(
      size === undefined || (size.width >= 0 && size.width < 65_536 && size.height < 65_536),
      'a picture has an impossible size',
    );
    const microphone = readMicrophone(input);
    demand(
      microphone === undefined || microphone.opus.length === input.length - 5,
      'a part of the sound is lost',
    );
    return (sent !== null && size !== undefined) || microphone ? 'accepted' : 'refused';
  },
};
