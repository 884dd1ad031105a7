/**
 * `npm run bench [-- name ...] [--json] [--short]`: measures the cost of various operations, each compared with a
 * baseline from the same run.
 */
import { benchAcknowledge } from './acknowledge.ts';
import { benchJobs } from './jobs.ts';
import { benchLargeFiles } from './large-files.ts';
import { benchLedger } from './ledger.ts';
import { benchLive } from './live.ts';
import { benchMedia } from './media.ts';
import { benchPhotoSwap } from './photo-swap.ts';
import { benchSpend } from './spend.ts';
import { benchVoiceEngine } from './voice-engine.ts';
import { benchVoice } from './voice.ts';
import { benchVoiceFrames } from './voice-frames.ts';

interface Bench {
  readonly what: string;
  readonly run: () => Promise<object>;
}

const args = process.argv.slice(2);

const BENCHES: Readonly<Record<string, Bench>> = {
  'photo-swap': {
    what: 'Photo Swap of a 768 x 768 pair, warm; baseline: sharp decodes both and encodes one',
    run: () => benchPhotoSwap(),
  },
  voice: {
    what: 'Speech through the bot in a voice channel, with a service that echoes; baseline: the pipeline of the guides',
    run: () => benchVoice(args.includes('--short')),
  },
  'voice-engine': {
    what: 'Voice Swap of live 48 kHz speech; baseline: a bare FFT and back every 256 samples',
    run: benchVoiceEngine,
  },
  'voice-frames': {
    what: 'A channel of speech inside the bot: microseconds for 20 ms at each stage; baseline: opusscript in stereo',
    run: benchVoiceFrames,
  },
  live: {
    what: 'Live Swap of 640 x 360 JPEGs: one warm stream beside sharp that decodes and encodes each; then by a page through the bot, beside a socket straight to the server; then in Chromium with a camera',
    run: () => benchLive(),
  },
  acknowledge: {
    what: 'Acknowledgement of a command while 20 renders run; baseline: a bare discord.js bot',
    run: benchAcknowledge,
  },
  jobs: {
    what: 'Jobs under load: 50 commands a second, webhooks beside a bare fastify POST, steps among 10,000 open jobs, memory',
    run: () => benchJobs(args.includes('--short')),
  },
  ledger: {
    what: 'Holds and charges: per second beside two bare inserts, and in books of 10,000 and 10 million entries',
    run: () => benchLedger(args.includes('--short')),
  },
  'large-files': {
    what: 'A clip of 500 MB on its way to the service; baseline: a bare undici upload of the same file',
    run: benchLargeFiles,
  },
  media: {
    what: 'Jobs with clips, each in a process of its own; baseline: a bare decode and encode of the same clip',
    run: benchMedia,
  },
  spend: {
    what: 'A report of a busy month and its chart; baseline: sharp alone, warm, makes a picture of the same drawing',
    run: benchSpend,
  },
};

const isForMachines = args.includes('--json');
const named = args.filter((arg) => !arg.startsWith('--'));
const results: Record<string, object> = {};

for (const [name, { what, run }] of Object.entries(BENCHES)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const figures = await run();
  results[name] = figures;
  if (!isForMachines) process.stdout.write(`\n${what}\n${table(figures)}`);
}
if (isForMachines) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
if (Object.keys(results).length === 0) {
  process.stderr.write(`Unknown name. The benchmarks are: ${Object.keys(BENCHES).join(', ')}\n`);
  process.exitCode = 2;
}

function table(figures: object): string {
  if (Array.isArray(figures)) return figures.map((row: object) => `${table(row)}\n`).join('');
  const rows = Object.entries(figures).map(([name, value]) => {
    const shown =
      typeof value === 'number' ? value.toFixed(value < 10 ? 2 : value < 1000 ? 1 : 0) : String(value);
    return `  ${name.padEnd(28)}${shown.padStart(18)}\n`;
  });
  return rows.join('');
}
