/**
 * `npm run kills [-- --kills 1000] [--seed 1] [--in-flight 20]`: kills a bot with SIGKILL many times, at random
 * moments.
 */
import { parseArgs } from 'node:util';
import { type ChainResult, playChain } from './random-kills.ts';

/**
 * After this many kills everything is checked, and a new run starts from the beginning, so that a problem is found
 * near its cause.
 */
const CHAIN_KILLS = 50;
const SAY_EVERY = 10;

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    'in-flight': { type: 'string', default: '20' },
  },
});
const wanted = {
  kills: Number(values.kills),
  seed: Number(values.seed),
  inFlight: Number(values['in-flight']),
};
const isUsable = Object.values(wanted).every((number) => Number.isSafeInteger(number) && number > 0);
if (isUsable) await run();
else {
  process.stderr.write('--kills, --seed and --in-flight need whole numbers above zero\n');
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const { kills, seed, inFlight } = wanted;
  const chains: ChainResult[] = [];
  for (let done = 0; done < kills; done += CHAIN_KILLS) {
    const chain = await playChain({
      inFlight,
      kills: Math.min(CHAIN_KILLS, kills - done),
      seed: seed + chains.length,
      onKill: (count) => {
        if (count % SAY_EVERY === 0) say(`${done + count} of ${kills} kills`);
      },
    });
    chains.push(chain);
    const { commands, delivered, explained, abandoned, unheard, problems } = chain;
    say(
      `${commands} commands: ${delivered} delivered, ${explained} explained, ${abandoned} abandoned, ${unheard} unheard`,
    );
    for (const problem of problems) say(`PROBLEM (seed ${seed + chains.length - 1}): ${problem}`);
  }
  const result = { kills, seconds: seconds(), ...sumUp(chains) };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  if (result.problems.length > 0) process.exitCode = 1;
}

function say(text: string): void {
  process.stdout.write(`${String(seconds()).padStart(6)} s  ${text}\n`);
}

function seconds(): number {
  return Math.round(performance.now() / 1000);
}

function sumUp(chains: readonly ChainResult[]): ChainResult {
  const sum = (name: 'commands' | 'delivered' | 'explained' | 'abandoned' | 'unheard'): number =>
    chains.reduce((total, chain) => total + chain[name], 0);
  const openAtKill: Record<string, number> = {};
  for (const chain of chains) {
    for (const [stage, count] of Object.entries(chain.openAtKill)) {
      openAtKill[stage] = (openAtKill[stage] ?? 0) + count;
    }
  }
  return {
    commands: sum('commands'),
    delivered: sum('delivered'),
    explained: sum('explained'),
    abandoned: sum('abandoned'),
    unheard: sum('unheard'),
    openAtKill,
    problems: chains.flatMap((chain) => chain.problems),
  };
}
