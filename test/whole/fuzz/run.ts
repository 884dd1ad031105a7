/**
 * `npm run fuzz [-- --targets mp4,ogg --inputs 20000 --minutes 60 --seed 1 --workers 2]`: tries hostile
 * inputs on every parser. Fails if an input breaks a parser, or if fewer than 15 targets reach their number of inputs in
 * time. `-- --targets mp4 --replay <file>` tries one file again. Admitted files are also played: see `decoder.ts`.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CampaignResult, replay, runCampaign } from './campaign.ts';
import { TARGET_NAMES } from './targets/all.ts';
import type { Found } from './worker.ts';

const FOLDER = join('out', 'fuzz');
/** How many targets must reach their number of inputs; if fewer targets are chosen, all of them must. */
const REACHED_MIN = 15;

const { values } = parseArgs({
  options: {
    targets: { type: 'string', default: TARGET_NAMES.join(',') },
    inputs: { type: 'string', default: '20000' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: process.env['PROPERTY_SEED'] ?? String(Date.now() % 1_000_000) },
    workers: { type: 'string', default: '2' },
    replay: { type: 'string' },
  },
});
const targets = values.targets.split(',');
const unknown = targets.filter((name) => !TARGET_NAMES.includes(name));
const numbers = [values.inputs, values.minutes, values.seed, values.workers].map(Number);
if (unknown.length > 0 || !numbers.every((number) => number >= 0)) {
  process.stderr.write(
    `--inputs, --minutes, --seed and --workers need numbers; the targets are ${TARGET_NAMES.join(', ')}\n`,
  );
  process.exitCode = 2;
} else if (values.replay === undefined) await campaign();
else {
  const found = await replay([{ target: targets[0] ?? '', path: values.replay }]);
  for (const { what } of found) process.stdout.write(`${what}\n`);
  process.exitCode = found.length > 0 ? 1 : 0;
}

async function campaign(): Promise<void> {
  const [inputs = 0, minutes = 0, seed = 0, workers = 1] = numbers;
  const startMs = performance.now();
  process.stdout.write(`Seed ${seed}\n`);
  const seen = new Map<string, number>();
  const result = await runCampaign({
    targets,
    inputs,
    minutes,
    seed,
    workers,
    onFound: (found) => {
      const key = `${found.target}: ${found.what}`;
      if (!seen.has(key))
        process.stdout.write(`${key}\n  npm run fuzz -- --targets ${found.target} --replay ${save(found)}\n`);
      seen.set(key, (seen.get(key) ?? 0) + 1);
    },
  });
  print(result);
  const isDone = summarise(result, inputs, (performance.now() - startMs) / 60_000);
  if (seen.size > 0 || !isDone) process.exitCode = 1;
}

function save({ target, input }: Found): string {
  mkdirSync(FOLDER, { recursive: true });
  const hash = createHash('sha256').update(input).digest('hex').slice(0, 12);
  const path = join(FOLDER, `${target}-${hash}.bin`);
  writeFileSync(path, input);
  return path;
}

function print({ tallies, found }: CampaignResult): void {
  const row = (...cells: readonly string[]): void => {
    process.stdout.write(
      `${cells.map((cell, at) => (at === 0 ? cell.padEnd(20) : cell.padStart(10))).join('')}\n`,
    );
  };
  row('target', 'inputs', 'a second', 'accepted', 'findings');
  for (const [target, { tried, accepted, ms }] of tallies) {
    const own = new Set(found.flatMap((finding) => (finding.target === target ? [finding.what] : [])));
    const share = tried === 0 ? 0 : (accepted / tried) * 100;
    row(
      target,
      String(tried),
      String(Math.round((tried / ms) * 1_000) || 0),
      `${share.toFixed(0)} %`,
      String(own.size),
    );
  }
}

/** Returns whether enough targets reached their number of inputs. */
function summarise({ tallies }: CampaignResult, inputs: number, minutes: number): boolean {
  const reached = [...tallies.values()].filter(({ tried }) => tried >= inputs).length;
  const isEnough = reached >= Math.min(REACHED_MIN, tallies.size);
  process.stdout.write(
    `${reached} of ${tallies.size} targets reached ${inputs} inputs in ${minutes.toFixed(1)} minutes${isEnough ? '' : ', which is too few'}\n`,
  );
  return isEnough;
}
