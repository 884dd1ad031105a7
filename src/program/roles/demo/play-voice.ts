import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { alignEnvelopes, energyEnvelope } from '../../../audio/energy-envelope.ts';
import { toFloat, toPcm } from '../../../audio/pcm.ts';
import { Resampler } from '../../../audio/resampler.ts';
import { readWav, writeWav } from '../../../audio/wav.ts';
import { sleep, systemClock } from '../../../base/clock.ts';
import { ServiceError } from '../../../base/errors.ts';
import { type MicroUsd, formatUsd, subtractMicros, addMicros } from '../../../base/money.ts';
import { MediaApi } from '../../../media-api/media-api.ts';
import type { SandboxChannel, SandboxGuild } from '../../../sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../sandbox/script/message-view.ts';
import type { RenderedSpeech } from '../../../sandbox/voice/render-speech.ts';
import type { Play } from './play.ts';
import { titleOf } from './readable-text.ts';
import { runCommand, showMessage } from './run-command.ts';
import { readSample } from './read-sample.ts';

interface Studio {
  readonly guild: SandboxGuild;
  readonly general: SandboxChannel;
  readonly studio: SandboxChannel;
  readonly ada: SandboxMember;
  readonly ben: SandboxMember;
}

const RATE_HZ = 48_000;
/** Ben starts to speak this long after Ada, before she has finished. */
const BEN_AFTER_SECONDS = 4;
const PART_MS = 2_000;
const LIKENESS_MIN = 0.8;
const LATENCY_MS_MAX = 600;
const PATIENCE_MS = 120_000;
const LOOK_MS = 1_000;

/** Two members talk in a voice channel with converted voices, live, and the service bills each second. */
export async function playVoice(
  play: Play,
  members: readonly [SandboxMember, SandboxMember],
): Promise<SandboxGuild> {
  const guild = play.stage.sandbox.addGuild('Radio club');
  const [ada, ben] = [guild.addMember(members[0]), guild.addMember(members[1])];
  const place = { general: guild.addTextChannel('general'), studio: guild.addVoiceChannel('Studio') };
  const studio: Studio = { guild, ...place, ada, ben };
  for (const member of [ada, ben]) member.voice.joins(studio.studio);
  play.transcript.scene('Two members talk in a voice channel with other voices, live');
  const panel = await openAndCheck(play, studio);
  await talkAndCheck(play, studio);
  await stopAndCheck(play, studio, panel);
  return guild;
}

/** Starts the session. Both members must agree before the bot converts their speech. */
async function openAndCheck(play: Play, { guild, general, studio, ada, ben }: Studio): Promise<MessageView> {
  const isAsked = (message: MessageView): boolean => message.text.includes('May your speech be converted?');
  const start = {
    by: ada,
    in: general,
    command: '/voice start',
    values: { voice: 'voice:bright-woman', minutes: 1 },
  };
  await agree(play, ada, await runCommand(play, start, isAsked));
  const join = { by: ben, in: general, command: '/voice join', values: { voice: 'voice:deep-narrator' } };
  await agree(play, ben, await runCommand(play, join, isAsked));
  const isOn = ({ text }: MessageView): boolean => (text.match(/ · on, ends /g) ?? []).length === 2;
  const panel = await general.messageWhere(isOn, { timeoutMs: PATIENCE_MS });
  showMessage(play, 'shows everybody:', panel);
  const status = studio.status ?? '';
  play.checks.that(
    'the status of the voice channel shows the conversion',
    status.includes('Voice conversion'),
    status,
  );
  const notice = await studio.voice.recording(await botOf(guild));
  const seconds = notice.samples.length / RATE_HZ;
  play.checks.that(
    'the bot has played its notice in the channel',
    seconds > 1,
    `${seconds.toFixed(1)} s of speech`,
  );
  return panel;
}

/** Has a member agree to the bot's question, and waits for the confirmation. */
async function agree(play: Play, by: SandboxMember, asked: MessageView): Promise<void> {
  play.transcript.add(by.name, 'presses "I agree" under the message');
  const use = await by.presses('I agree', { on: asked });
  const isIn = (message: MessageView): boolean => message.text.includes('You are in it');
  showMessage(play, `shows ${by.name} alone:`, await use.replyWhere(isIn, { timeoutMs: PATIENCE_MS }));
}

async function talkAndCheck(play: Play, { guild, studio, ada, ben }: Studio): Promise<void> {
  const { transcript, checks } = play;
  studio.voice.forgets();
  const man = await readSpeech('speech-man-48k.wav', 0);
  const woman = await readSpeech('speech-woman-16k.wav', BEN_AFTER_SECONDS);
  transcript.add(ada.name, `speaks for ${seconds(man.length)} s with a man's voice`);
  transcript.add(
    ben.name,
    `speaks for ${seconds(woman.length)} s with a woman's voice, at first at the same time`,
  );
  await Promise.all([ada.voice.speaks(man), ben.voice.speaks(woman)]);
  const [ofAda, ofBen] = [await studio.voice.recording(ada), await studio.voice.recording(ben)];
  const heard = await studio.voice.recording(await botOf(guild));
  const said = mixed(ofAda, ofBen);
  await save(play, said, 'voice-before.wav');
  await save(play, heard.samples, 'voice.wav');
  const played = placed(heard, Math.min(ofAda.startMs, ofBen.startMs));
  const bounds = { partMs: PART_MS, fromMs: 0, toMs: LATENCY_MS_MAX };
  const { likeness, laterMs } = alignEnvelopes(
    energyEnvelope(said, RATE_HZ),
    energyEnvelope(played, RATE_HZ),
    bounds,
  );
  transcript.add(
    'Discord',
    `plays both with other voices, ${laterMs} ms after they spoke, conversion included`,
  );
  checks.that(
    'the channel hears their words in other voices',
    likeness > LIKENESS_MIN,
    `likeness of loudness ${likeness.toFixed(2)}`,
  );
  checks.that('within half a second', laterMs < 500, `${laterMs} ms`);
}

/** Stops the session and compares the service's charges with the ledger. */
async function stopAndCheck(play: Play, studio: Studio, panel: MessageView): Promise<void> {
  const { checks, transcript, stage } = play;
  const { ada, general, guild } = studio;
  transcript.add(ada.name, 'presses "Stop" under the panel');
  await ada.presses('Stop', { on: panel });
  const isOver = (message: MessageView): boolean => titleOf(message) === 'Voice conversion has ended';
  const ended = await general.messageWhere(isOver, { timeoutMs: PATIENCE_MS });
  showMessage(play, 'shows everybody:', ended);
  const { media, bot } = stage;
  await using api = new MediaApi({ baseUrl: media.baseUrl, apiKey: media.apiKey });
  const read = async (): Promise<VoiceSums> => {
    const usage = await api.account.usage({ limit: 500 });
    const charges = usage.filter(({ feature }) => feature === 'voice_swap').map(({ charged }) => charged);
    const { limit, left } = await bot.budget(guild.id);
    return { charges, billed: addMicros(...charges), spent: subtractMicros(limit, left) };
  };
  const { charges, billed, spent } = await settled(read);
  transcript.add('Service', `charged ${formatUsd(billed)} for ${charges.length} sessions`);
  checks.that(
    'the ledger contains the cost of both sessions',
    spent === billed && charges.length === 2,
    `${formatUsd(spent)} and ${formatUsd(billed)}`,
  );
}

interface VoiceSums {
  /** The service's charges, one for each session. */
  readonly charges: readonly MicroUsd[];
  readonly billed: MicroUsd;
  /** The amount in the ledger. */
  readonly spent: MicroUsd;
}

/** Waits until the service has charged both sessions and the ledger has recorded the charges, about a second later. */
async function settled(read: () => Promise<VoiceSums>): Promise<VoiceSums> {
  const untilMs = systemClock.monotonic() + PATIENCE_MS;
  for (;;) {
    const sums = await read();
    const isSettled = sums.spent === sums.billed && sums.charges.every((charge) => charge > 0);
    if (isSettled || systemClock.monotonic() > untilMs) return sums;
    await sleep(systemClock, LOOK_MS);
  }
}

async function botOf(guild: SandboxGuild): Promise<{ readonly id: string }> {
  const bot = [...guild.entity.members.values()].find(({ user }) => user.bot);
  if (!bot) throw new ServiceError('demo_failed', 'Cannot continue: the bot is not in the guild');
  return { id: bot.user.id };
}

/** Reads a recording, resampled to 48 kHz, with `afterSeconds` of silence in front of it. */
async function readSpeech(name: string, afterSeconds: number): Promise<Int16Array> {
  const { sampleRateHz, pcm } = readWav((await readSample(name)).bytes);
  const input = new Float32Array(pcm.length);
  toFloat(pcm, input);
  const resampler = new Resampler(sampleRateHz, RATE_HZ);
  const output = new Float32Array(resampler.outputFramesMax(input.length));
  const speech = new Int16Array(resampler.process(input, output));
  toPcm(output, speech);
  const whole = new Int16Array(afterSeconds * RATE_HZ + speech.length);
  whole.set(speech, afterSeconds * RATE_HZ);
  return whole;
}

async function save({ transcript, outDir }: Play, pcm: Int16Array, name: string): Promise<void> {
  const path = join(outDir, name);
  await writeFile(path, writeWav({ sampleRateHz: RATE_HZ, pcm }));
  transcript.add('', `saved as ${path}`);
}

/** Returns the sound from `startMs` on, with silence in front if the speech started later. */
function placed({ samples, startMs: ownMs }: RenderedSpeech, startMs: number): Int16Array {
  const ahead = Math.round(((ownMs - startMs) * RATE_HZ) / 1000);
  const sound = new Int16Array(Math.max(0, ahead + samples.length));
  sound.set(ahead < 0 ? samples.subarray(-ahead) : samples, Math.max(0, ahead));
  return sound;
}

function mixed(...parts: readonly RenderedSpeech[]): Int16Array {
  const startMs = Math.min(...parts.map((part) => part.startMs));
  const sounds = parts.map((part) => placed(part, startMs));
  const mix = new Int16Array(Math.max(...sounds.map(({ length }) => length)));
  for (const sound of sounds) sound.forEach((sample, n) => (mix[n] = (mix[n] ?? 0) + sample));
  return mix;
}

function seconds(samples: number): string {
  return (samples / RATE_HZ).toFixed(1);
}
