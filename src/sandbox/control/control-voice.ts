import type { FastifyRequest } from 'fastify';
import { readWav, writeWav } from '../../audio/wav.ts';
import { z } from 'zod';
import { ApiError } from '../chat/api-error.ts';
import type { Channel, Guild } from '../chat/guild.ts';
import type { Payload } from '../chat/payload.ts';
import { bareVoiceStatePayload } from '../chat/payloads.ts';
import { SNOWFLAKE } from '../chat/snowflake.ts';
import { ChannelVoice } from '../script/channel-voice.ts';
import { GuildVoice } from '../script/guild-voice.ts';
import { MemberVoice } from '../script/member-voice.ts';
import { RENDER_RATE_HZ } from '../voice/render-speech.ts';
import { FRAME_MS, encodeSpeech } from '../voice/speech.ts';
import { type ControlOptions, type ControlRoute, part } from './control-route.ts';
import { joinBody, speakBody, standingBody } from './control-voice-bodies.ts';

const SPEECH_SECONDS_MAX = 600;
const OPUS_RATES = [8000, 12_000, 16_000, 24_000, 48_000] as const;

const id = z.string().regex(SNOWFLAKE);
const lookQuery = z.strictObject({
  timeout_ms: z.coerce.number().int().min(0).max(120_000).default(0),
  connected: id.optional(),
});
const recordingQuery = z.strictObject({ speaker_id: id.optional() });

/**
 * The control API for voice. Below `/control`:
 *
 * - `POST /guilds/:guild/members/:member/voice/joins {in: channel id, self_mute?, self_deaf?}` (a member who is in a
 *   call of another guild leaves that call), `.../voice/leaves`
 * - `POST .../voice/speaks {wav_base64} | {sample}`: 16-bit PCM at 8, 12, 16, 24 or 48 kHz; returns `{duration_ms}` at
 *   once
 * - `POST .../voice/sets {self_mute?, self_deaf?, mute?, deaf?, move_to?, may_speak?}`: the last four are a moderator's
 *   actions, which can also target the bot, like `POST .../voice/disconnects`
 * - `POST .../voice/changes-ssrc`: gives the member's later packets a new SSRC
 * - `GET /channels/:channel/voice?connected=&timeout_ms=` returns who is in the channel and the state of the
 *   encryption; with `connected`, waits until that user's audio is connected
 * - `GET /channels/:channel/voice.wav?speaker_id=` returns the speech in the channel as 48 kHz mono
 */
export function voiceRoutesOf(options: ControlOptions): readonly ControlRoute[] {
  const control = new VoiceControl(options);
  const voice = '/guilds/:guild/members/:member/voice';
  return [
    ['POST', `${voice}/joins`, (request) => control.joins(request)],
    ['POST', `${voice}/leaves`, (request) => control.leaves(request)],
    ['POST', `${voice}/speaks`, (request) => control.speaks(request)],
    ['POST', `${voice}/sets`, (request) => control.sets(request)],
    ['POST', `${voice}/changes-ssrc`, (request) => control.changesSsrc(request)],
    ['POST', `${voice}/disconnects`, (request) => control.disconnects(request)],
    ['GET', '/channels/:channel/voice', (request) => control.look(request)],
    ['GET', '/channels/:channel/voice.wav', (request) => control.recording(request)],
  ];
}

class VoiceControl {
  readonly #options: ControlOptions;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  joins(request: FastifyRequest): Payload {
    const {
      in: channelId,
      self_mute: selfMute = false,
      self_deaf: selfDeaf = false,
    } = joinBody.parse(request.body);
    this.#member(request).joins({ id: channelId }, { selfMute, selfDeaf });
    this.#leaveOthers(part(request, 'guild'), part(request, 'member'));
    return { channel_id: channelId };
  }

  leaves(request: FastifyRequest): Payload {
    this.#member(request).leaves();
    return { channel_id: null };
  }

  async speaks(request: FastifyRequest): Promise<Payload> {
    const said = speakBody.parse(request.body);
    const { pcm: samples, sampleRateHz } = readWav(
      'sample' in said
        ? Buffer.from(this.#options.page.samples.open(said.sample).bytes)
        : Buffer.from(said.wav_base64, 'base64'),
    );
    const rate = OPUS_RATES.find((known) => known === sampleRateHz);
    if (!rate) throw new Error(`Cannot say a sound of ${sampleRateHz} Hz: Opus has no such rate`);
    if (samples.length > SPEECH_SECONDS_MAX * rate) {
      throw new Error(`Cannot say that much at once: at most ${SPEECH_SECONDS_MAX / 60} minutes`);
    }
    const member = this.#member(request);
    demandSilence(member);
    const speech = await encodeSpeech(samples, rate);
    // While the speech was being encoded, the member may have left or started to speak.
    demandSilence(member);
    member.speaks(speech).catch((error: unknown) => {
      const detail = error instanceof Error ? error.message : 'unknown';
      this.#options.world.violations.record('sandbox_error', 'control speaks', detail);
    });
    return { duration_ms: speech.frames.length * FRAME_MS };
  }

  sets(request: FastifyRequest): Payload {
    const wanted = standingBody.parse(request.body);
    const who = { id: part(request, 'member') };
    const guild = new GuildVoice(this.#options.world, this.#guild(request));
    if (wanted.self_mute !== undefined) this.#member(request).mutes(wanted.self_mute);
    if (wanted.self_deaf !== undefined) this.#member(request).deafens(wanted.self_deaf);
    if (wanted.mute !== undefined) guild.mutes(who, wanted.mute);
    if (wanted.deaf !== undefined) guild.deafens(who, wanted.deaf);
    if (wanted.may_speak !== undefined) guild.letsSpeak(who, wanted.may_speak);
    if (wanted.move_to !== undefined) guild.moves(who, { id: wanted.move_to });
    return { channel_id: this.#member(request).channelId };
  }

  changesSsrc(request: FastifyRequest): Payload {
    const member = this.#member(request);
    member.changesSsrc();
    return { channel_id: member.channelId };
  }

  disconnects(request: FastifyRequest): Payload {
    const guild = new GuildVoice(this.#options.world, this.#guild(request));
    guild.disconnects({ id: part(request, 'member') });
    return { channel_id: null };
  }

  async look(request: FastifyRequest): Promise<unknown> {
    const { timeout_ms: timeoutMs, connected } = lookQuery.parse(request.query);
    const channel = this.#channel(request);
    const { version, epoch } = this.#options.faults.voiceIn({ id: part(request, 'channel') }).encryption;
    const isThere = (): boolean => connected === undefined || channel.connectedIds.includes(connected);
    if (timeoutMs > 0) await this.#options.world.changes.holds(isThere, timeoutMs);
    return {
      states: channel.states.map(bareVoiceStatePayload),
      connected: channel.connectedIds,
      encryption: { version, epoch },
      packets: Object.fromEntries(
        channel.speakerIds.map((speakerId) => [speakerId, channel.packetsOf({ id: speakerId }).length]),
      ),
    };
  }

  async recording(request: FastifyRequest): Promise<Buffer> {
    const { speaker_id: speakerId } = recordingQuery.parse(request.query);
    const speaker = speakerId === undefined ? undefined : { id: speakerId };
    const { samples } = await this.#channel(request).recording(speaker);
    return Buffer.from(writeWav({ pcm: samples, sampleRateHz: RENDER_RATE_HZ }).buffer);
  }

  /** Removes the user from calls in all other guilds, because an account can be in only one call at a time. */
  #leaveOthers(guildId: string, userId: string): void {
    for (const guild of this.#options.world.guilds.values()) {
      const state = guild.voiceStates.get(userId);
      if (state && guild.id !== guildId)
        new GuildVoice(this.#options.world, guild).disconnects({ id: userId });
    }
  }

  #guild(request: FastifyRequest): Guild {
    return this.#options.world.guild(part(request, 'guild'));
  }

  #member(request: FastifyRequest): MemberVoice {
    const { world } = this.#options;
    const guild = this.#guild(request);
    return new MemberVoice(world, guild, world.member(guild, part(request, 'member')));
  }

  #channel(request: FastifyRequest): ChannelVoice {
    const { world } = this.#options;
    const channel: Channel = world.channel(part(request, 'channel'));
    const guild = world.guildOf(channel);
    if (!guild) throw new ApiError('unknownChannel');
    return new ChannelVoice(world, guild, channel);
  }
}

function demandSilence(member: MemberVoice): void {
  if (member.channelId === null) throw new Error('Cannot speak: the member is in no voice channel');
  if (member.isSpeaking) throw new Error('Cannot speak: the member is still speaking');
}
