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
import { quantile } from './quantile.ts';

/** Milliseconds from a member's command to the acknowledgement that Discord receives. */
export interface AcknowledgeBench {
  readonly commands: number;
  /** The smallest number of jobs that rendered or waited at the service during the measurement. */
  readonly rendersMin: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The baseline is a bare discord.js bot that only calls `deferReply`; the two bots take turns. */
  readonly baselineP50Ms: number;
  readonly baselineP99Ms: number;
  readonly loopDelayMaxMs: number;
}

interface Place {
  readonly member: SandboxMember;
  readonly channel: SandboxChannel;
}

const RENDERS = 20;
const COMMANDS = 200;
const GAP_MS = 20;
const REPLY_MS_MAX = 60_000;
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
    const guild = stage.sandbox.addGuild('Bench');
    const place = { member: guild.addMember('Ada'), channel: guild.addTextChannel('bench') };
    await using _bare = await startBareBot(stage);
    return await measure(place, () => atService.size);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(place: Place, renders: () => number): Promise<AcknowledgeBench> {
  const stop = new AbortController();
  const load = Array.from({ length: RENDERS + 5 }, () => keepRendering(place, stop.signal));
  while (renders() < RENDERS) await pause(1);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const ours: number[] = [];
  const bare: number[] = [];
  let rendersMin = renders();
  const empty = { name: 'empty.png', bytes: new Uint8Array() };
  for (let command = 0; command < COMMANDS; command++) {
    // An empty file is rejected after the acknowledgement, so the measured command does not start a render.
    ours.push(await acknowledgedAfter(swap(place, empty)));
    bare.push(await acknowledgedAfter(place.member.runs('/bare', { in: place.channel })));
    rendersMin = Math.min(rendersMin, renders());
    await pause(GAP_MS);
  }
  delay.disable();
  stop.abort();
  await Promise.all(load);
  return {
    commands: COMMANDS,
    rendersMin,
    p50Ms: quantile(ours, 0.5),
    p99Ms: quantile(ours, 0.99),
    baselineP50Ms: quantile(bare, 0.5),
    baselineP99Ms: quantile(bare, 0.99),
    loopDelayMaxMs: delay.max / 1e6,
  };
}

/** Swaps one picture after another until the signal aborts. */
async function keepRendering(place: Place, signal: AbortSignal): Promise<void> {
  const file = { name: 'a.jpg', bytes: await readFile(PICTURE) };
  while (!signal.aborted) {
    const use = await swap(place, file);
    await use.replyWhere((message) => message.attachments.length === 1, { timeoutMs: REPLY_MS_MAX });
  }
}

function swap(
  { member, channel }: Place,
  file: { readonly name: string; readonly bytes: Uint8Array },
): Promise<UseOfBot> {
  return member.runs('/photo-swap', { in: channel, options: { image: file, face: file } });
}

async function acknowledgedAfter(running: Promise<UseOfBot>): Promise<number> {
  const use = await running;
  await use.acknowledged();
  return use.acknowledgedAfterMs ?? Number.NaN;
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
