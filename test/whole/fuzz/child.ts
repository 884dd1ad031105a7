/**
 * Tries inputs in a separate process, so that an input that kills or blocks the process is a finding, not the end of
 * the campaign.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import sharp from 'sharp';
import { Decoder } from './decoder.ts';
import { makeInput } from './make-input.ts';
import { minimise } from './minimise.ts';
import { CURRENT_FILE, CURRENT_HEAD_BYTES, type Order, type Report } from './orders.ts';
import type { FuzzTarget } from './target.ts';
import { loadTarget } from './targets/all.ts';
import { type Verdict, catchStrays, tryInput } from './trial.ts';

const ALIVE_MS = 500;
/** Findings of this process so far. A finding that occurs again is not minimised again. */
const known = new Set<string>();
const seedsOf = new Map<string, readonly Buffer[]>();
const folder = process.argv[2] ?? '';
const decoder = new Decoder();
let paths = 0;
let aliveMs = 0;

// The same settings as in the bot's child process that inspects members' files.
sharp.concurrency(1);
sharp.cache(false);
catchStrays();
process.on('message', (order: Order) => {
  // An error in the campaign itself, such as in a grammar, must not look like a parser's error.
  obey(order).catch((error: unknown) => {
    process.stderr.write(`${String(error instanceof Error ? error.stack : error)}\n`);
    process.exit(1);
  });
});
process.on('disconnect', () => process.exit());
process.on('exit', () => decoder[Symbol.dispose]());

async function obey({ target: name, inputs }: Order): Promise<void> {
  const target = await loadTarget(name);
  const startMs = performance.now();
  let tried = 0;
  let accepted = 0;
  const count = async (input: Buffer, index: number): Promise<void> => {
    tried += 1;
    if (await isAccepted(target, input, index)) accepted += 1;
  };
  if ('path' in inputs) await count(await readInput(inputs.path), 0);
  else {
    const seeds = await seedsFor(target);
    for (let index = inputs.from; index < inputs.to; index += 1) {
      await count(makeInput(target, seeds, { seed: inputs.seed, index }), index);
    }
  }
  report({ say: 'done', tried, accepted, ms: performance.now() - startMs });
}

/** Reads an input from a file; large ones are stored compressed. */
async function readInput(path: string): Promise<Buffer> {
  const bytes = await readFile(path);
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

async function seedsFor(target: FuzzTarget): Promise<readonly Buffer[]> {
  const made = seedsOf.get(target.name) ?? (await target.seeds?.()) ?? [];
  seedsOf.set(target.name, made);
  return made;
}

async function isAccepted(target: FuzzTarget, input: Buffer, index: number): Promise<boolean> {
  note(input, index);
  const verdict = await attempt(target, input);
  if ('outcome' in verdict) return verdict.outcome === 'accepted';
  const what = verdict.problem;
  const isNew = !known.has(`${target.name} ${what}`);
  known.add(`${target.name} ${what}`);
  const small = isNew ? await smaller(target, input, index, what) : input;
  report({ say: 'found', what, index, input: small.toString('base64'), isSmall: isNew });
  return false;
}

async function smaller(target: FuzzTarget, input: Buffer, index: number, what: string): Promise<Buffer> {
  // Minimising could move the canary out of the metadata, to where it is allowed.
  if (what.includes('canary')) return input;
  return minimise(input, async (shorter) => {
    note(shorter, index);
    const verdict = await attempt(target, shorter);
    return 'problem' in verdict && verdict.problem === what;
  });
}

/** Tries an input, at a new path each time, because libraries cache files by path. */
async function attempt(target: FuzzTarget, input: Buffer): Promise<Verdict> {
  const path = join(folder, `input-${(paths += 1)}`);
  let toldSeconds: number | undefined;
  const tell = (seconds: number): void => {
    toldSeconds = seconds;
  };
  try {
    const verdict = await tryInput(target, input, { path, tell }, stayAlive);
    if ('problem' in verdict || toldSeconds === undefined) return verdict;
    const problem = await decoder.problemOf(path, toldSeconds);
    return problem === undefined ? verdict : { problem };
  } finally {
    rmSync(path, { force: true });
  }
}

/** Writes the input to a file, in case this process dies before it can report it. */
function note(input: Buffer, index: number): void {
  const head = Buffer.alloc(CURRENT_HEAD_BYTES);
  head.writeUInt32BE(index);
  writeFileSync(join(folder, CURRENT_FILE), Buffer.concat([head, input]));
}

function stayAlive(): void {
  if (performance.now() - aliveMs < ALIVE_MS) return;
  aliveMs = performance.now();
  report({ say: 'alive' });
}

function report(what: Report): void {
  process.send?.(what);
}
