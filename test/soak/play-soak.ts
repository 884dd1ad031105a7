import { quantile } from '../bench/quantile.ts';
import { type ClosingResult, close } from './closing.ts';
import { type CyclesResult, JoinCycles } from './join-cycles.ts';
import { SoakPlace } from './soak-place.ts';
import { type Stretch, Stretches } from './speech-stretches.ts';

export interface SoakOptions {
  /** Of speech, in real time. */
  readonly minutes: number;
  /** Of joining and leaving. */
  readonly cycles: number;
  readonly say: (text: string) => void;
}

export interface SoakResult {
  readonly stretches: number;
  readonly latencyP50Ms: number;
  /** How much longer it is on the way at the end of the speech than at its beginning, and after the cycles. */
  readonly latencyGrowthMs: number;
  readonly latencyGrowthAfterCyclesMs: number;
  readonly framesPlayed: number;
  readonly framesLeftOut: number;
  readonly joining: Omit<CyclesResult, 'problems'>;
  readonly books: Omit<ClosingResult, 'problems'>;
  readonly problems: readonly string[];
}

const GROWTH_MS_MAX = 20;
const LEFT_OUT_MAX = 0.01;
/** Of so many stretches fifths are compared, of fewer halves. */
const FIFTHS_FROM = 10;
const STRETCHES_MIN = 2;

/** Speech for a long time, then joining and leaving many times, then the end. */
export async function playSoak({ minutes, cycles, say }: SoakOptions): Promise<SoakResult> {
  await using place = await SoakPlace.open();
  await place.begin();
  const stretches = await Stretches.open(place);
  const count = Math.max(STRETCHES_MIN, Math.round((60 * minutes) / stretches.seconds));
  for (let done = 1; done <= count; done++) {
    say(`stretch ${done} of ${count}: ${tell(await stretches.play())}`);
  }
  const speech = [...stretches.all];
  const joining = await JoinCycles.open(place);
  const { problems: ofCycles, ...joined } = await joining.play(cycles, (done, { heapBytes, rssBytes }) => {
    say(`${done} of ${cycles} cycles: heap ${mib(heapBytes)}, RSS ${mib(rssBytes)}`);
  });
  const after = await stretches.play();
  say(`after them: ${tell(after)}`);
  const { problems: ofBooks, ...books } = await close(place);
  const growthMs = growth(speech);
  const afterMs = after.latencyP50Ms - medianOf(firstOf(speech));
  const framesPlayed = sum(stretches.all, ({ framesPlayed: frames }) => frames);
  const framesLeftOut = sum(stretches.all, ({ framesLeftOut: frames }) => frames);
  return {
    stretches: speech.length,
    latencyP50Ms: medianOf(speech),
    latencyGrowthMs: growthMs,
    latencyGrowthAfterCyclesMs: afterMs,
    framesPlayed,
    framesLeftOut,
    joining: joined,
    books,
    problems: [
      ...speechProblems(stretches.all, { growthMs, afterMs, framesPlayed, framesLeftOut }),
      ...ofCycles,
      ...ofBooks,
    ],
  };
}

function speechProblems(
  stretches: readonly Stretch[],
  sums: { growthMs: number; afterMs: number; framesPlayed: number; framesLeftOut: number },
): readonly string[] {
  const wrong: [boolean, string][] = [
    [stretches.some(({ compared }) => compared === 0), 'The bot was not heard in one of the stretches'],
    [!(sums.growthMs <= GROWTH_MS_MAX), `The latency grew by ${sums.growthMs} ms`],
    [!(sums.afterMs <= GROWTH_MS_MAX), `The latency is ${sums.afterMs} ms longer after the cycles`],
    [
      sums.framesLeftOut > LEFT_OUT_MAX * (sums.framesPlayed + sums.framesLeftOut),
      `${sums.framesLeftOut} frames were left out beside ${sums.framesPlayed}`,
    ],
  ];
  return wrong.filter(([is]) => is).map(([, what]) => what);
}

function growth(stretches: readonly Stretch[]): number {
  const part = partOf(stretches);
  return medianOf(stretches.slice(-part)) - medianOf(stretches.slice(0, part));
}

function firstOf(stretches: readonly Stretch[]): readonly Stretch[] {
  return stretches.slice(0, partOf(stretches));
}

function partOf({ length }: readonly Stretch[]): number {
  return Math.floor(length / (length >= FIFTHS_FROM ? 5 : 2));
}

function medianOf(stretches: readonly Stretch[]): number {
  return quantile(
    stretches.map(({ latencyP50Ms }) => latencyP50Ms),
    0.5,
  );
}

function sum(stretches: readonly Stretch[], of: (stretch: Stretch) => number): number {
  return stretches.reduce((total, stretch) => total + of(stretch), 0);
}

function tell({ latencyP50Ms, latencyP95Ms, compared, framesLeftOut }: Stretch): string {
  const [p50, p95] = [latencyP50Ms.toFixed(1), latencyP95Ms.toFixed(1)];
  return `added latency p50 ${p50} ms, p95 ${p95} ms (${compared} frames compared), ${framesLeftOut} left out`;
}

function mib(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}
