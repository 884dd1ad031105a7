import { PassThrough, Transform, type TransformCallback } from 'node:stream';
import {
  EndBehaviorType,
  StreamType,
  type VoiceConnection,
  VoiceConnectionStatus,
  createAudioPlayer,
  createAudioResource,
  entersState,
  joinVoiceChannel,
} from '@discordjs/voice';
import type { Client } from 'discord.js';
import prism from 'prism-media';
import { WebSocket } from 'ws';
import type { BenchBot, BotPlace } from './bot-wire.ts';
import { VOICE } from './speech.ts';

const JOIN_MS = 15_000;

/**
 * The pipeline of the libraries' guides: receive stream, prism-media decoder, PCM to the service and back, raw audio
 * resource, player. It supports only one member, because a player plays one resource.
 */
export class GuideBot implements BenchBot {
  readonly #connection: VoiceConnection;
  readonly #echoUrl: string;

  private constructor(connection: VoiceConnection, echoUrl: string) {
    this.#connection = connection;
    this.#echoUrl = echoUrl;
  }

  static async join(client: Client<true>, place: BotPlace): Promise<GuideBot> {
    const guild = client.guilds.cache.get(place.guildId);
    if (!guild) throw new Error('The bot is not in the guild');
    const { guildId, channelId } = place;
    const connection = joinVoiceChannel({
      guildId,
      channelId,
      adapterCreator: guild.voiceAdapterCreator,
      selfDeaf: false,
    });
    await entersState(connection, VoiceConnectionStatus.Ready, JOIN_MS);
    return new GuideBot(connection, place.echoUrl);
  }

  async convert([userId]: readonly string[]): Promise<void> {
    if (userId === undefined) return;
    const socket = new WebSocket(this.#echoUrl, { perMessageDeflate: false });
    await new Promise((resolve) => socket.once('message', resolve));
    const opus = this.#connection.receiver.subscribe(userId, { end: { behavior: EndBehaviorType.Manual } });
    const decoder = new prism.opus.Decoder({ rate: VOICE.rateHz, channels: 2, frameSize: VOICE.frame });
    opus
      .pipe(decoder)
      .pipe(new ToMono())
      .on('data', (pcm: Buffer) => socket.send(pcm));
    const converted = new PassThrough();
    socket.on('message', (pcm: Buffer) => converted.write(pcm));
    // By default the player stops for good at the first pause of a live stream.
    const player = createAudioPlayer({ behaviors: { maxMissedFrames: Infinity } });
    this.#connection.subscribe(player);
    player.play(createAudioResource(converted.pipe(new ToStereo()), { inputType: StreamType.Raw }));
  }

  measure(): void {}

  get figures(): BenchBot['figures'] {
    return { framesSent: 0, framesMissed: 0, tickLateP99Ms: 0, insideP50Ms: 0, insideP95Ms: 0 };
  }
}

/** Keeps the left channel of 16-bit stereo. */
class ToMono extends Transform {
  override _transform(stereo: Buffer, _encoding: string, done: TransformCallback): void {
    const mono = Buffer.alloc(stereo.length / 2);
    for (let at = 0; at < mono.length; at += 2) mono.writeInt16LE(stereo.readInt16LE(2 * at), at);
    done(null, mono);
  }
}

class ToStereo extends Transform {
  override _transform(mono: Buffer, _encoding: string, done: TransformCallback): void {
    const stereo = Buffer.alloc(2 * mono.length);
    for (let at = 0; at < mono.length; at += 2) {
      const sample = mono.readInt16LE(at);
      stereo.writeInt16LE(sample, 2 * at);
      stereo.writeInt16LE(sample, 2 * at + 2);
    }
    done(null, stereo);
  }
}
