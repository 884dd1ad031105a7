import { quantile } from '../../bench/quantile.ts';
import { type ClosingResult, close } from './closing.ts';
import { type CyclesResult, JoinCycles } from './join-cycles.ts';
import { SoakPlace } from './soak-place.ts';
import { type Stretch, Stretches } from './speech-stretches.ts';

export interface SoakOptions {
  /** Minutes of speech, in real time. */
  readonly minutes: number;
  /** The number of times that a guest joins and leaves. */
  readonly cycles: number;
  readonly say: (text: string) => void;
}

export interface SoakResult extends SpeechSums {
  readonly stretches: number;
  readonly latencyP50Ms: number;
  readonly joining: Omit<CyclesResult, 'problems'>;
  readonly books: Omit<ClosingResult, 'problems'>;
  readonly problems: readonly string[];
}

interface SpeechSums {
  /** How much longer speech is delayed at the end of the stretches, and after the cycles, than at the start. */
  readonly latencyGrowthMs: number;
  readonly latencyGrowthAfterCyclesMs: number;
  readonly framesPlayed: number;
  readonly framesLeftOut: number;
}

const GROWTH_MS_MAX = 20;
const LEFT_OUT_MAX = 0.01;
/** With at least this many stretches, the first and last fifths are compared; with fewer, the two halves. */
const FIFTHS_FROM = 10;
const STRETCHES_MIN = 2;
/**
 * Growth is measured again up to this many times, because another program may have used the machine. A real drift does
 * not go away.
 */
const AGAIN_MAX = 3;

/** Plays speech for a long time, then has guests join and leave many times, then ends the session. */
export async function playSoak({ minutes, cycles, say }: SoakOptions): Promise<SoakResult> {
  await using place = await SoakPlace.open();
  await place.begin();
  const stretches = await Stretches.open(place);
  const count = Math.max(STRETCHES_MIN, Math.round((60 * minutes) / stretches.seconds));
  const talk = async (what: string): Promise<void> => say(`${what}: ${tell(await stretches.play())}`);
  for (let done = 1; done <= count; done++) await talk(`stretch ${done} of ${count}`);
  const part = Math.floor(count / (count >= FIFTHS_FROM ? 5 : 2));
  const firstMs = medianOf(stretches.all.slice(0, part));
  const lasting = async (last: number): Promise<number> => {
    for (let again = 0; ; again++) {
      const grownMs = medianOf(stretches.all.slice(-last)) - firstMs;
      if (grownMs <= GROWTH_MS_MAX || again === AGAIN_MAX) return grownMs;
      await talk('and again');
    }
  };
  const latencyGrowthMs = await lasting(part);
  await place.pause();
  const guests = await JoinCycles.open(place);
  const { problems: ofCycles, ...joining } = await guests.play(cycles, (done, { heapBytes, rssBytes }) => {
    say(`${done} of ${cycles} cycles: heap ${mib(heapBytes)}, RSS ${mib(rssBytes)}`);
  });
  await place.resume();
  await talk('after them');
  const latencyGrowthAfterCyclesMs = await lasting(1);
  const { problems: ofBooks, ...books } = await close(place);
  const sums = {
    latencyGrowthMs,
    latencyGrowthAfterCyclesMs,
    framesPlayed: sum(stretches.all.map(({ framesPlayed }) => framesPlayed)),
    framesLeftOut: sum(stretches.all.map(({ framesLeftOut }) => framesLeftOut)),
  };
  const problems = [...speechProblems(stretches.all, sums), ...ofCycles, ...ofBooks];
  const latencyP50Ms = medianOf(stretches.all);
  return { stretches: stretches.all.length, latencyP50Ms, ...sums, joining, books, problems };
}

function speechProblems(stretches: readonly Stretch[], sums: SpeechSums): readonly string[] {
  const { latencyGrowthMs: grownMs, latencyGrowthAfterCyclesMs: laterMs } = sums;
  // A busy machine drops frames in some stretches, but a fault in the bot drops frames in all of them.
  const leftOut = quantile(stretches.map(leftOutOf), 0.25);
  const wrong: [boolean, string][] = [
    [stretches.some(({ compared }) => compared === 0), 'The bot was not heard in one of the stretches'],
    [!(grownMs <= GROWTH_MS_MAX), `Speech took ${grownMs} ms longer at the end`],
    [!(laterMs <= GROWTH_MS_MAX), `Speech took ${laterMs} ms longer after the cycles`],
    [
      !(leftOut <= LEFT_OUT_MAX),
      `${(100 * leftOut).toFixed(1)} % of the frames were missed in most stretches`,
    ],
  ];
  return wrong.filter(([is]) => is).map(([, what]) => what);
}

function leftOutOf({ framesPlayed, framesLeftOut }: Stretch): number {
  return framesLeftOut / (framesPlayed + framesLeftOut);
}

function medianOf(stretches: readonly Stretch[]): number {
  const medians = stretches.map(({ latencyP50Ms }) => latencyP50Ms);
  return quantile(medians, 0.5);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function tell({ latencyP50Ms, latencyP95Ms, compared, framesLeftOut }: Stretch): string {
  const [p50, p95] = [latencyP50Ms.toFixed(1), latencyP95Ms.toFixed(1)];
  return `added latency p50 ${p50} ms, p95 ${p95} ms (${compared} frames compared), ${framesLeftOut} missed`;
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}
