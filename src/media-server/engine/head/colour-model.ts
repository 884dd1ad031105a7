/** Colours as Y, Cb and Cr in separate arrays with one entry per sample. */
interface ColourSamples {
  readonly luma: Float32Array;
  readonly cb: Float32Array;
  readonly cr: Float32Array;
}

const COMPONENTS = 5;
const ROUNDS = 6;
/** Added to every variance, so that a uniform background still tolerates noise. */
const NOISE_VARIANCE = 20;
/** The number of values of one Gaussian: mean (3), inverse covariance (6: yy, bb, rr, yb, yr, br) and log weight. */
const STRIDE = 10;
const SAMPLES_MIN = 8;

/** A Gaussian mixture model of the colours of one class in a picture. */
export class ColourModel {
  readonly #terms: Float64Array;

  private constructor(terms: Float64Array) {
    this.#terms = terms;
  }

  /** Fits the model to the samples listed in `members`. Returns `undefined` if there are too few. */
  static fit(samples: ColourSamples, members: readonly number[]): ColourModel | undefined {
    if (members.length < SAMPLES_MIN) return undefined;
    let centres = spreadCentres(samples, members);
    let groups: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) {
      groups = nearestGroups(samples, members, centres);
      centres = groups.map((group, n) =>
        group.length > 0 ? meanOf(samples, group) : (centres[n] ?? ORIGIN),
      );
    }
    const terms = groups.flatMap((group) =>
      group.length < 3 ? [] : gaussian(samples, group, members.length),
    );
    return new ColourModel(Float64Array.from(terms));
  }

  /** Returns the log of the density at a colour, up to a constant that is the same for all models. */
  logDensity(luma: number, cb: number, cr: number): number {
    const terms = this.#terms;
    let best = -Infinity;
    for (let at = 0; at < terms.length; at += STRIDE) {
      const y = luma - (terms[at] ?? 0);
      const b = cb - (terms[at + 1] ?? 0);
      const r = cr - (terms[at + 2] ?? 0);
      const distance =
        (terms[at + 3] ?? 0) * y * y +
        (terms[at + 4] ?? 0) * b * b +
        (terms[at + 5] ?? 0) * r * r +
        2 * ((terms[at + 6] ?? 0) * y * b + (terms[at + 7] ?? 0) * y * r + (terms[at + 8] ?? 0) * b * r);
      best = Math.max(best, (terms[at + 9] ?? 0) - distance / 2);
    }
    return best;
  }
}

type Colour = readonly [number, number, number];
const ORIGIN: Colour = [0, 0, 0];

function colourAt({ luma, cb, cr }: ColourSamples, n: number): Colour {
  return [luma[n] ?? 0, cb[n] ?? 0, cr[n] ?? 0];
}

/** Returns the squared distance of two colours. Luma varies with light, so it has a lower weight than hue. */
function separation(a: Colour, b: Colour): number {
  return (a[0] - b[0]) ** 2 / 4 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2;
}

/**
 * Returns initial centres that are far apart. Each centre after the first is the sample, in a subset of the samples,
 * that is farthest from the previous centres. The result is deterministic.
 */
function spreadCentres(samples: ColourSamples, members: readonly number[]): Colour[] {
  const step = Math.max(1, Math.floor(members.length / 400));
  const thinned = members.filter((_member, n) => n % step === 0).map((member) => colourAt(samples, member));
  const centres: Colour[] = [meanOf(samples, members)];
  while (centres.length < COMPONENTS) {
    let farthest: Colour = ORIGIN;
    let greatest = -1;
    for (const colour of thinned) {
      const distance = Math.min(...centres.map((centre) => separation(centre, colour)));
      if (distance > greatest) [farthest, greatest] = [colour, distance];
    }
    centres.push(farthest);
  }
  return centres;
}

function nearestGroups(
  { luma, cb, cr }: ColourSamples,
  members: readonly number[],
  centres: readonly Colour[],
): number[][] {
  const groups: number[][] = centres.map(() => []);
  for (const member of members) {
    const [y, b, r] = [luma[member] ?? 0, cb[member] ?? 0, cr[member] ?? 0];
    let [best, least] = [0, Infinity];
    for (let n = 0; n < centres.length; n++) {
      const centre = centres[n] ?? ORIGIN;
      const distance = (y - centre[0]) ** 2 / 4 + (b - centre[1]) ** 2 + (r - centre[2]) ** 2;
      if (distance < least) [best, least] = [n, distance];
    }
    groups[best]?.push(member);
  }
  return groups;
}

function meanOf(samples: ColourSamples, members: readonly number[]): Colour {
  let [y, b, r] = ORIGIN;
  for (const member of members) {
    y += samples.luma[member] ?? 0;
    b += samples.cb[member] ?? 0;
    r += samples.cr[member] ?? 0;
  }
  return [y / members.length, b / members.length, r / members.length];
}

function gaussian(samples: ColourSamples, group: readonly number[], total: number): number[] {
  const mean = meanOf(samples, group);
  let [yy, bb, rr, yb, yr, br] = [0, 0, 0, 0, 0, 0];
  for (const member of group) {
    const colour = colourAt(samples, member);
    const [y, b, r] = [colour[0] - mean[0], colour[1] - mean[1], colour[2] - mean[2]];
    yy += y * y;
    bb += b * b;
    rr += r * r;
    yb += y * b;
    yr += y * r;
    br += b * r;
  }
  const n = group.length;
  [yy, bb, rr] = [yy / n + NOISE_VARIANCE, bb / n + NOISE_VARIANCE / 4, rr / n + NOISE_VARIANCE / 4];
  [yb, yr, br] = [yb / n, yr / n, br / n];
  const determinant = yy * (bb * rr - br * br) - yb * (yb * rr - br * yr) + yr * (yb * br - bb * yr);
  const inverse = [
    bb * rr - br * br,
    yy * rr - yr * yr,
    yy * bb - yb * yb,
    yr * br - yb * rr,
    yb * br - yr * bb,
    yb * yr - yy * br,
  ].map((value) => value / determinant);
  return [...mean, ...inverse, Math.log(n / total) - Math.log(determinant) / 2];
}
