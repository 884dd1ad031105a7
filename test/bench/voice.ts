import { createSandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../src/sandbox/script/sandbox-member.ts';
import { type OpusSpeech, encodeSpeech } from '../../src/sandbox/voice/speech.ts';
import { trustCertificate } from '../../src/sandbox/voice/trust-certificate.ts';
import { addedLatencies } from './channel/added-latency.ts';
import { BotProcess } from './channel/bot-process.ts';
import type { BotReport, BotWay } from './channel/bot-wire.ts';
import { EchoService } from './channel/echo-service.ts';
import { VOICE, speechOf } from './channel/speech.ts';
import { quantile } from './quantile.ts';

const WARM_UP_SECONDS = 5;
const LATENCY_SECONDS = 20;
const LOAD_SECONDS = 8;
const CROWDS = [1, 8, 16, 32, 48, 64, 80, 96] as const;
const DEFICIT_MAX = 0.01;

/**
 * Measures a bot's speech pipeline: the real discord.js in a separate process, in a sandbox channel with end-to-end
 * encryption, with a service that responds at once. The sandbox, its members and the service run on the same machine.
 */
export async function benchVoice(isShort: boolean): Promise<object[]> {
  await using sandbox = await createSandbox();
  using _trust = trustCertificate(sandbox.caPem);
  await using echo = await EchoService.start();
  const stand = { sandbox, echo, isShort };
  return [...(await latencies(stand, 'room')), ...(await latencies(stand, 'guide')), ...(await loads(stand))];
}

interface Stand {
  readonly sandbox: Awaited<ReturnType<typeof createSandbox>>;
  readonly echo: EchoService;
  readonly isShort: boolean;
}

interface Club {
  readonly guild: SandboxGuild;
  readonly channel: SandboxChannel;
  readonly listener: SandboxMember;
  readonly bot: BotProcess;
}

/** Opens a channel with its own bot and one listener. */
async function openClub({ sandbox, echo }: Stand, way: BotWay): Promise<Club> {
  const guild = sandbox.addGuild(`Benchmark of the ${way}`);
  const channel = guild.addVoiceChannel('Lounge');
  const listener = guild.addMember('Listener');
  listener.voice.joins(channel);
  const bot = await BotProcess.start(sandbox, way, {
    apiUrl: sandbox.apiUrl,
    token: sandbox.token,
    guildId: guild.id,
    channelId: channel.id,
    echoUrl: echo.url,
  });
  return { guild, channel, listener, bot };
}

async function latencies(stand: Stand, way: BotWay): Promise<object[]> {
  const { guild, channel, listener, bot } = await openClub(stand, way);
  await using _bot = bot;
  const speaker = guild.addMember('Speaker');
  speaker.voice.joins(channel);
  await bot.convert([speaker.id]);
  // During this speech, code that runs for the first time is compiled, here and in the bot. That time must not count.
  await speaker.voice.speaks(await speechOf(WARM_UP_SECONDS));
  channel.voice.forgets();
  await bot.measure();
  await speaker.voice.speaks(await speechOf(stand.isShort ? 5 : LATENCY_SECONDS));
  const report = await bot.report();
  const said = listener.voice.packetsOf(speaker, channel);
  const played = listener.voice.packetsOf(bot, channel);
  const added = await addedLatencies(said, played);
  return [
    {
      way: way === 'room' ? 'this project' : 'as the guides suggest',
      'frames compared': added.length,
      'added latency p50 ms': quantile(added, 0.5),
      'added latency p95 ms': quantile(added, 0.95),
      'added latency max ms': Math.max(...added),
      ...(way === 'room' ? insideOf(report) : {}),
    },
  ];
}

function insideOf({ insideP50Ms, insideP95Ms, tickLateP99Ms }: BotReport): object {
  return {
    'inside the bot p50 ms': insideP50Ms,
    'inside the bot p95 ms': insideP95Ms,
    'tick late p99 ms': tickLateP99Ms,
  };
}

/** Adds speakers until the bot misses more than one in a hundred frames. */
async function loads(stand: Stand): Promise<object[]> {
  const { guild, channel, bot } = await openClub(stand, 'room');
  await using _bot = bot;
  const speech = await encodeSpeech(await speechOf(LOAD_SECONDS));
  const members = [joinDeaf(guild, channel, 0)];
  await bot.convert(members.map(({ id }) => id));
  await sayAll(members, speech);
  await bot.convert([]);
  const idle = await speakAll([], speech, bot);
  const rows: object[] = [];
  for (const crowd of stand.isShort ? CROWDS.slice(0, 2) : CROWDS) {
    while (members.length < crowd) members.push(joinDeaf(guild, channel, members.length));
    await bot.convert(members.map(({ id }) => id));
    const report = await speakAll(members, speech, bot);
    const { framesSent, framesMissed, userMs, systemMs, wallMs, rssBytes } = report;
    const cpuMs = userMs + systemMs;
    const deficit = framesMissed / Math.max(1, framesSent + framesMissed);
    rows.push({
      'simultaneous speakers': crowd,
      'share of a core, %': (100 * cpuMs) / wallMs,
      'share of a core per speaker, %': (100 * cpuMs) / wallMs / crowd,
      'kernel share of that, %': (100 * systemMs) / cpuMs,
      'MiB each': (rssBytes - idle.rssBytes) / 2 ** 20 / crowd,
      'tick late p99 ms': report.tickLateP99Ms,
      'frames missed, %': 100 * deficit,
    });
    if (deficit > DEFICIT_MAX) break;
  }
  return rows;
}

/** Has a deafened member join, so that the sandbox has less work. */
function joinDeaf(guild: SandboxGuild, channel: SandboxChannel, index: number): SandboxMember {
  const member = guild.addMember(`Speaker ${index}`);
  member.voice.joins(channel, { selfDeaf: true });
  return member;
}

async function sayAll(members: readonly SandboxMember[], speech: OpusSpeech): Promise<void> {
  await Promise.all(members.map((member) => member.voice.speaks(speech)));
}

async function speakAll(
  members: readonly SandboxMember[],
  speech: OpusSpeech,
  bot: BotProcess,
): Promise<BotReport> {
  await bot.measure();
  if (members.length === 0) await new Promise((resolve) => setTimeout(resolve, 10 * VOICE.frameMs));
  await sayAll(members, speech);
  return bot.report();
}
