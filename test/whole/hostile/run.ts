/**
 * `npm run hostile [-- --seconds 120] [--sockets 1000] [--forged 3000] [--worst 8] [--only web|others]`: runs all
 * attacks on the bot at the same time, and then those on each of the other servers, one after the other.
 */
import { parseArgs } from 'node:util';
import { DESCRIPTORS_MAX, MEGABYTES_MAX, SERVER_NAMES, playHeld } from './play-held.ts';
import { playHostile } from './play-hostile.ts';

const ACKNOWLEDGED_MS_MAX = 2_000;
const PROGRAM_MEGABYTES_MAX = 1_024;
const TREE_MEGABYTES_MAX = 4_096;
const LOOK_MS = 5_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    sockets: { type: 'string', default: '1000' },
    forged: { type: 'string', default: '3000' },
    worst: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
  },
});
const sockets = Number(values.sockets);
const webIsFine = values.only === 'others' || (await attackWeb());
const othersAreFine = values.only === 'web' || (await attackOthers());
process.exit(webIsFine && othersAreFine ? 0 : 1);

async function attackWeb(): Promise<boolean> {
  const figures = await playHostile({
    seconds: Number(values.seconds),
    sockets,
    forgedPerSecond: Number(values.forged),
    worstEach: Number(values.worst),
  });
  process.stdout.write(`${JSON.stringify(figures, null, 2)}\n`);
  const { problems, callers, acknowledgedP99Ms, deliveriesKept, deliveriesSent } = figures;
  return (
    problems.length === 0 &&
    callers.failed.length === 0 &&
    acknowledgedP99Ms < ACKNOWLEDGED_MS_MAX &&
    deliveriesKept === deliveriesSent &&
    figures.honestAccepted === figures.honestCommands &&
    figures.residentMegabytesMax < PROGRAM_MEGABYTES_MAX &&
    figures.treeMegabytesMax < TREE_MEGABYTES_MAX
  );
}

async function attackOthers(): Promise<boolean> {
  let isFine = true;
  for (const name of SERVER_NAMES) {
    const figures = await playHeld(name, { sockets, lookMs: LOOK_MS });
    process.stdout.write(`${JSON.stringify({ name, ...figures }, null, 2)}\n`);
    isFine &&=
      figures.failed.length === 0 &&
      figures.residentMegabytesMax < MEGABYTES_MAX &&
      figures.descriptorsMax < DESCRIPTORS_MAX[name];
  }
  return isFine;
}
