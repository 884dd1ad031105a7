import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Events, GatewayIntentBits, type Interaction } from 'discord.js';
import { silentLogger } from '../../src/base/log.ts';
import { parseUsd } from '../../src/base/money.ts';
import { type Stage, setStage } from '../../src/program/roles/demo/stage.ts';
import type { SandboxChannel } from '../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../src/sandbox/script/sandbox-member.ts';
import type { UseOfBot } from '../../src/sandbox/script/use-of-bot.ts';
import { acknowledgedAfter } from './acknowledged-after.ts';
import { quantile } from './quantile.ts';

/** Milliseconds from a member's command to the acknowledgement that Discord receives. */
export interface AcknowledgeBench {
  readonly commands: number;
  /**
   * Commands that were not acknowledged within the 3 s that Discord allows; those that start renders are counted
   * separately.
   */
  readonly unanswered: number;
  readonly unansweredRenders: number;
  /** The smallest number of jobs that were rendering or waiting at the service at any time during the measurement. */
  readonly rendersMin: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The baseline is a bare discord.js bot that only calls `deferReply`; the two bots take turns. */
  readonly baselineP50Ms: number;
  readonly baselineP99Ms: number;
  readonly baselineUnanswered: number;
  /** The longest time from a command to its result. */
  readonly renderSecondsMax: number;
  readonly loopDelayMaxMs: number;
}

interface Place {
  readonly member: SandboxMember;
  readonly channel: SandboxChannel;
}

const RENDERS = 20;
const COMMANDS = 200;
const GAP_MS = 20;
/** Renders come from several guilds, because one guild's jobs may take only some of the bot's job slots. */
const GUILDS = 5;
/** Time limits for starting renders and for measuring commands. A busy machine completes fewer of both in this time. */
const STARTING_MS_MAX = 60_000;
const MEASURING_MS_MAX = 90_000;
/** Longer than all renders take in sequence on a busy machine. */
const REPLY_MS_MAX = 600_000;
const PICTURE = new URL('../samples/portrait-man-elderly.jpg', import.meta.url);

/** Measures acknowledgements while 20 renders run. Discord, the service and the bot share this process. */
export async function benchAcknowledge(): Promise<AcknowledgeBench> {
  const dataDir = await mkdtemp(join(tmpdir(), 'bench-'));
  const atService = new Set<string>();
  try {
    await using stage = await setStage({
      dataDir,
      budget: parseUsd('1000'),
      log: silentLogger,
      requestsPerMinute: 100_000,
      onStep: ({ jobId, stage: step, moment }) => {
        if (moment !== 'recorded') return;
        if (step === 'submitting') atService.add(jobId);
        if (step === 'submitted') atService.delete(jobId);
      },
    });
    const places = Array.from({ length: GUILDS }, (_none, index): Place => {
      const guild = stage.sandbox.addGuild(`Bench ${index}`);
      return { member: guild.addMember('Ada'), channel: guild.addTextChannel('bench') };
    });
    await using _bare = await startBareBot(stage);
    return await measure(places, () => atService.size);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(places: readonly Place[], renders: () => number): Promise<AcknowledgeBench> {
  const stop = new AbortController();
  const load = Array.from({ length: (RENDERS + 5) / GUILDS }, () =>
    places.map((place) => keepRendering(place, stop.signal)),
  ).flat();
  const [place] = places;
  if (!place) throw new TypeError('Cannot measure without a guild');
  const startMs = performance.now();
  while (renders() < RENDERS && performance.now() < startMs + STARTING_MS_MAX) await pause(1);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const ours: (number | null)[] = [];
  const bare: (number | null)[] = [];
  let rendersMin = renders();
  const empty = { name: 'empty.png', bytes: new Uint8Array() };
  const untilMs = performance.now() + MEASURING_MS_MAX;
  while (ours.length < COMMANDS && performance.now() < untilMs) {
    // An empty file is refused after the acknowledgement, so the measured command itself starts no render.
    ours.push(await acknowledgedAfter(await swap(place, empty)));
    bare.push(await acknowledgedAfter(await place.member.runs('/bare', { in: place.channel })));
    rendersMin = Math.min(rendersMin, renders());
    await pause(GAP_MS);
  }
  delay.disable();
  stop.abort();
  const rendered = (await Promise.all(load)).flat();
  const answered = known(ours);
  const answeredBare = known(bare);
  return {
    commands: ours.length,
    unanswered: ours.length - answered.length,
    unansweredRenders: rendered.length - known(rendered).length,
    rendersMin,
    p50Ms: quantile(answered, 0.5),
    p99Ms: quantile(answered, 0.99),
    baselineP50Ms: quantile(answeredBare, 0.5),
    baselineP99Ms: quantile(answeredBare, 0.99),
    baselineUnanswered: bare.length - answeredBare.length,
    renderSecondsMax: Math.max(...known(rendered)) / 1_000,
    loopDelayMaxMs: delay.max / 1e6,
  };
}

/**
 * Swaps one picture after another until the signal aborts. For each swap, returns the time until the result in
 * milliseconds, or null if the command was not acknowledged.
 */
async function keepRendering(place: Place, signal: AbortSignal): Promise<readonly (number | null)[]> {
  const file = { name: 'a.jpg', bytes: await readFile(PICTURE) };
  const tookMs: (number | null)[] = [];
  while (!signal.aborted) {
    const startMs = performance.now();
    const use = await swap(place, file);
    if ((await acknowledgedAfter(use)) === null) {
      tookMs.push(null);
      continue;
    }
    await use.replyWhere((message) => message.attachments.length === 1, { timeoutMs: REPLY_MS_MAX });
    tookMs.push(performance.now() - startMs);
  }
  return tookMs;
}

function swap(
  { member, channel }: Place,
  file: { readonly name: string; readonly bytes: Uint8Array },
): Promise<UseOfBot> {
  return member.runs('/photo-swap', { in: channel, options: { image: file, face: file } });
}

function known(values: readonly (number | null)[]): readonly number[] {
  return values.filter((value) => value !== null);
}

async function startBareBot({ sandbox }: Stage): Promise<AsyncDisposable> {
  const { token } = sandbox.addApplication('Bare');
  const client = new Client({ intents: [GatewayIntentBits.Guilds], rest: { api: sandbox.apiUrl } });
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve));
  client.on(Events.InteractionCreate, (interaction: Interaction) => {
    if (interaction.isChatInputCommand()) void interaction.deferReply();
  });
  await client.login(token);
  await (await ready).application.commands.create({ name: 'bare', description: 'Only acknowledges' });
  return { [Symbol.asyncDispose]: () => client.destroy() };
}
