import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { parseRtpHeader, payloadOf } from '../../../../src/bot/discord/voice/rtp-packet.ts';
import { SpeechReceiver } from '../../../../src/bot/discord/voice/speech-receiver.ts';
import { readDiscovery } from '../../../../src/sandbox/voice/ip-discovery.ts';
import { clearBytes, readRtp } from '../../../../src/sandbox/voice/rtp.ts';
import { TRANSPORT_MODES, TransportCipher } from '../../../../src/sandbox/voice/transport-cipher.ts';
import { Hand } from '../grammar/hand.ts';
import { u16, u32, u8 } from '../grammar/numbers.ts';
import { type FuzzTarget, demand } from '../target.ts';

const KEY: Uint8Array = new Uint8Array(32).fill(7);
const SSRC = 1_000;
const OPUS = 120;

/** Voice packets before encryption; the header says how much of the rest is extension and how much is padding. */
export const rtp: FuzzTarget = {
  name: 'rtp',
  generate(random) {
    const hand = new Hand(random, { liePercent: 10 });
    const sources = random.happens(20) ? random.int(0, 15) : 0;
    const hasExtension = random.happens(50);
    const padding = random.happens(30) ? random.int(1, 40) : 0;
    const first = 0x80 | (padding > 0 ? 0x20 : 0) | (hasExtension ? 0x10 : 0) | sources;
    const words = hasExtension ? random.count(8) : 0;
    return Buffer.concat([
      u8(hand.number(first, 8)),
      u8(hand.number(OPUS, 8)),
      u16(random.int(0, 65_535)),
      u32(random.hostileInt(32)),
      u32(hand.number(SSRC, 32)),
      Buffer.alloc(sources * 4),
      ...(hasExtension ? [u16(0xbede), u16(hand.number(words, 16))] : []),
      Buffer.alloc(words * 4, 0x10),
      random.bytes(random.int(0, 200)),
      ...(padding > 0 ? [Buffer.alloc(padding - 1), u8(hand.number(padding, 8))] : []),
    ]);
  },
  run(input) {
    readDiscovery(input);
    const header = parseRtpHeader(input);
    demand(header?.headerSize === clearBytes(input), 'the two sides disagree on the unencrypted part');
    if (!header) return 'refused';
    const head = input.subarray(0, header.headerSize);
    const body = input.subarray(header.headerSize);
    const payload = payloadOf(header, body);
    const read = readRtp(head, body);
    if (payload) demand(read?.frame.length === payload.length, 'the two sides disagree on the payload');
    const heard = TRANSPORT_MODES.map((mode) => hear(mode, { head, body, whole: input, ssrc: header.ssrc }));
    demand(
      heard.every((opus) => opus.every((packet) => payload?.equals(packet) === true)),
      'the received payload was not sent',
    );
    return payload ? 'accepted' : 'refused';
  },
};

/** Returns what a listener receives when the packet is sent encrypted and in plaintext, twice each. */
function hear(
  mode: (typeof TRANSPORT_MODES)[number],
  {
    head,
    body,
    whole,
    ssrc,
  }: { readonly head: Buffer; readonly body: Buffer; readonly whole: Buffer; readonly ssrc: number },
): Buffer[] {
  const receiver = new SpeechReceiver(new FakeClock(), silentLogger);
  const heard: Buffer[] = [];
  receiver.use({ mode, key: KEY, dave: undefined });
  using _hearing = receiver.hear('1', ({ opus }) => heard.push(Buffer.from(opus)));
  const sealed = new TransportCipher(mode, KEY).seal({ header: head, body });
  receiver.receive(whole);
  receiver.identify('1', ssrc);
  for (const packet of [sealed, sealed, whole]) receiver.receive(packet);
  demand(heard.length <= 1, 'a packet is delivered twice');
  return heard;
}
