import type { Client } from 'discord.js';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { ZERO } from '../../../src/base/money.ts';
import { DiscordVoiceConnector } from '../../../src/bot/discord/voice/discord-voice-connector.ts';
import { VoiceWire } from '../../../src/bot/sessions/voice-wire.ts';
import type { VoiceLine } from '../../../src/bot/sessions/voice-line.ts';
import { toPcm } from '../../../src/media-api/pcm-pieces.ts';
import { SessionSocket } from '../../../src/media-api/session-socket.ts';
import { VoiceRoom } from '../../../src/bot/sessions/voice-swap/voice-room.ts';
import type { BenchBot, BotPlace } from './bot-wire.ts';

const FORMAT_MS = 5_000;
const WAITING_BYTES_MAX = 64 * 1024;

/** A bot that uses this project's voice room. */
export class RoomBot implements BenchBot {
  readonly #room: VoiceRoom;
  readonly #echoUrl: string;
  #before = { sent: 0, missed: 0 };

  private constructor(room: VoiceRoom, echoUrl: string) {
    this.#room = room;
    this.#echoUrl = echoUrl;
  }

  static async join(client: Client<true>, place: BotPlace): Promise<RoomBot> {
    const connector = new DiscordVoiceConnector({ client, clock: systemClock, log: silentLogger });
    const endpoint = await connector.join(place);
    const both = { listening: endpoint, speaking: endpoint };
    return new RoomBot(new VoiceRoom({ ...both, clock: systemClock, log: silentLogger }), place.echoUrl);
  }

  async convert(userIds: readonly string[]): Promise<void> {
    for (const userId of this.#room.userIds) if (!userIds.includes(userId)) this.#room.disconnect(userId);
    const joining = userIds.filter((userId) => !this.#room.userIds.includes(userId));
    await Promise.all(
      joining.map(async (userId) => this.#room.connect(userId, await echoLine(userId, this.#echoUrl))),
    );
  }

  measure(): void {
    const { framesSent: sent, framesMissed: missed } = this.#room.stats;
    this.#before = { sent, missed };
  }

  get figures(): BenchBot['figures'] {
    const { framesSent, framesMissed, latenessP99Ms, speakers } = this.#room.stats;
    return {
      framesSent: framesSent - this.#before.sent,
      framesMissed: framesMissed - this.#before.missed,
      tickLateP99Ms: latenessP99Ms,
      insideP50Ms: Math.max(0, ...speakers.map(({ addedP50Ms }) => addedP50Ms)),
      insideP95Ms: Math.max(0, ...speakers.map(({ addedP95Ms }) => addedP95Ms)),
    };
  }
}

/**
 * Opens a session as the real bot does, but without the accounting: the code for the socket, the format and the chunks
 * is the bot's own.
 */
async function echoLine(id: string, url: string): Promise<VoiceLine> {
  const wire = new VoiceWire();
  const ends = Promise.withResolvers<number>();
  const socket = await SessionSocket.connect(
    new URL(url),
    {
      onText: (text) => wire.onText(text),
      onBinary: (data) => wire.onConverted(data),
      onEnd: (code) => ends.resolve(code),
    },
    { clock: systemClock },
  );
  const { sampleRateHz, chunkFrames } = await wire.format(systemClock, FORMAT_MS);
  return {
    id,
    sampleRateHz,
    chunkFrames,
    standing: { meteredMs: 0, quietMs: 0, leftMs: Infinity, estimate: ZERO, held: ZERO },
    send: (samples) => socket.send(toPcm(samples), WAITING_BYTES_MAX),
    onConverted: (listener) => wire.listen(listener),
    onEnd: (listener) => void ends.promise.then((code) => listener({ kind: 'lost', code })),
    close: () => socket.close(),
  };
}
