/**
 * `npm run hostile [-- --seconds 120] [--sockets 1000] [--forged 3000] [--worst 8]`: runs all attacks at the same time.
 */
import { parseArgs } from 'node:util';
import { playHostile } from './play-hostile.ts';

const ACKNOWLEDGED_MS_MAX = 2_000;
const MEGABYTES_MAX = 1_024;
const TREE_MEGABYTES_MAX = 4_096;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    sockets: { type: 'string', default: '1000' },
    forged: { type: 'string', default: '3000' },
    worst: { type: 'string', default: '8' },
  },
});
const figures = await playHostile({
  seconds: Number(values.seconds),
  sockets: Number(values.sockets),
  forgedPerSecond: Number(values.forged),
  worstEach: Number(values.worst),
});
process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
const { problems, honest, acknowledgedP99Ms, deliveriesKept, deliveriesSent } = figures;
const isFine =
  problems.length === 0 &&
  honest.failed.length === 0 &&
  acknowledgedP99Ms < ACKNOWLEDGED_MS_MAX &&
  deliveriesKept === deliveriesSent &&
  figures.residentMegabytesMax < MEGABYTES_MAX &&
  figures.treeMegabytesMax < TREE_MEGABYTES_MAX;
process.exit(isFine ? 0 : 1);
