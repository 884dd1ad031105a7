import { expect, it } from 'vitest';
import { tone } from '../../sandbox/use-voice.ts';
import { packetsOf, useVoiceClub } from './use-connector.ts';
import { SpeechReceiver } from '../../../src/discord/voice/speech-receiver.ts';
const orig = SpeechReceiver.prototype.receive;
const log: string[] = [];
SpeechReceiver.prototype.receive = function (d: Buffer) {
  log.push(`rx ${d.length} seq ${d.readUInt16BE(2)} ssrc ${d.readUInt32BE(8)}`);
  orig.call(this, d);
};
const oi = SpeechReceiver.prototype.identify;
SpeechReceiver.prototype.identify = function (u, s) {
  log.push(`id ${u} ${s}`);
  oi.call(this, u, s);
};
it.each([1, 2, 3])('x', async () => {
  log.length = 0;
  const club = await useVoiceClub();
  const { lounge, ada, ben, connector, place } = club;
  ada.voice.joins(lounge);
  ben.voice.joins(lounge);
  const endpoint = await connector.join(place);
  const packets = packetsOf(endpoint, ada);
  await ada.voice.speaks(tone(440, 100));
  ada.voice.changesSsrc();
  await ada.voice.speaks(tone(440, 100));
  await new Promise((r) => setTimeout(r, 300));
  console.error(log.join('\n'));
  console.error(
    'ben',
    ben.voice
      .packetsOf(ada, lounge)
      .map((p) => p.sequence + ' ' + p.ssrc)
      .join(),
  );
  console.error('bot', packets.map((p) => p.sequence).join(), endpoint.counts);
});
