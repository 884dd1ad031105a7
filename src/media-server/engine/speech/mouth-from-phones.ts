import type { MouthTrack } from '../animate/mouth-shape.ts';
import { PAUSE, type Phone } from './phone.ts';
import { SampledMouthTrack, SHAPE_VALUES } from './sampled-mouth-track.ts';
import { BILABIALS, isVowel, LABIODENTALS, type VisemeTarget, visemeTargets } from './viseme-targets.ts';

const RATE_HZ = 200;
/**
 * How fast a target's influence on the mouth decreases, per second. The lips' targets reach further, because lips
 * prepare earlier than the jaw.
 */
const JAW_FADE = 20;
const LIP_FADE = 14;
/** Beyond this distance in time, a target has no influence. */
const REACH_SECONDS = 0.4;
/**
 * How long lips take to meet and to part. They are faster next to a short sound; otherwise the mouth would not open for
 * a vowel between two closures.
 */
const CLOSING_SECONDS_MAX = 0.07;
const CLOSING_SECONDS_MIN = 0.035;
/** The minimum time for which lips stay together, so that a video of 25 frames per second shows them together. */
const CLOSED_SECONDS_MIN = 0.04;
const VOWEL_SECONDS_FULL = 0.14;

/**
 * Returns the movement of a mouth that speaks `phones`. Each phone pulls the mouth to its target with a
 * strength that decreases over time (dominance functions after Cohen and Massaro, 1993), so neighbours blend.
 * Contact of the lips is added afterwards, because it must never be blended away.
 */
export function mouthFromPhones(phones: readonly Phone[]): MouthTrack {
  const duration = phones.at(-1)?.end ?? 0;
  const values = new Float32Array((Math.ceil(duration * RATE_HZ) + 2) * SHAPE_VALUES);
  const pulls = phones.flatMap(pullsOf);
  const contacts = phones.flatMap((phone, n) => contactsOf(phone, phones[n - 1], phones[n + 1]));
  let firstPull = 0;
  let firstContact = 0;
  for (let at = 0; at < values.length; at += SHAPE_VALUES) {
    const t = at / SHAPE_VALUES / RATE_HZ;
    while ((pulls[firstPull]?.to ?? t) < t - REACH_SECONDS) firstPull++;
    while ((contacts[firstContact]?.to ?? t) < t - REACH_SECONDS) firstContact++;
    const { open, spread } = blend(pulls, firstPull, t);
    const { press, tuck } = contact(contacts, firstContact, t);
    values[at] = open * (1 - press) * (1 - tuck) + TUCKED_OPEN * tuck * (1 - press);
    values[at + 1] = spread * (1 - 0.5 * press) * (1 - 0.5 * tuck);
    values[at + 2] = press;
    values[at + 3] = tuck;
  }
  return new SampledMouthTrack(values, RATE_HZ, duration);
}

const TUCKED_OPEN = 0.1;

/** A target with the time in which it has full influence. */
interface Pull extends VisemeTarget {
  readonly from: number;
  readonly to: number;
}

function pullsOf({ name, start, end }: Phone): Pull[] {
  const targets = visemeTargets(name);
  const length = (end - start) / targets.length;
  const reached = isVowel(name) ? Math.min(1.1, 0.8 + (0.2 * (end - start)) / VOWEL_SECONDS_FULL) : 1;
  // The mouth's pause starts when the sound has faded, and ends slightly before the next sound.
  const inset = name === PAUSE ? Math.min(0.06, 0.4 * length) : 0.3 * length;
  return targets.map((target, n) => ({
    ...target,
    open: target.open * reached,
    from: start + n * length + inset,
    to: start + (n + 1) * length - inset,
  }));
}

function blend(pulls: readonly Pull[], first: number, t: number): { open: number; spread: number } {
  let open = 0;
  let spread = 0;
  let jaw = 0;
  let lip = 0;
  for (let n = first; n < pulls.length; n++) {
    const pull = pulls[n];
    if (!pull || pull.from > t + REACH_SECONDS) break;
    const distance = Math.max(0, pull.from - t, t - pull.to);
    const length = Math.min(1, 0.4 + (pull.to - pull.from) / 0.06);
    const jawPull = pull.jawWeight * length * Math.exp(-JAW_FADE * distance);
    const lipPull = pull.lipWeight * length * Math.exp(-LIP_FADE * distance);
    open += jawPull * pull.open;
    jaw += jawPull;
    spread += lipPull * pull.spread;
    lip += lipPull;
  }
  return { open: jaw > 0 ? open / jaw : 0, spread: lip > 0 ? spread / lip : 0 };
}

/**
 * A contact of the lips: when they are together, how long they take to meet before it, and how long to part
 * after it.
 */
interface Contact {
  readonly kind: 'press' | 'tuck';
  readonly from: number;
  readonly to: number;
  readonly meeting: number;
  readonly parting: number;
}

function contactsOf({ name, start, end }: Phone, before?: Phone, after?: Phone): Contact[] {
  if (!BILABIALS.has(name) && !LABIODENTALS.has(name)) return [];
  const middle = (start + end) / 2;
  const half = Math.max(CLOSED_SECONDS_MIN, 0.5 * (end - start)) / 2;
  const edge = (end - start) / 2 - half;
  // Returns the time for meeting or parting, which takes up at most half of the neighbouring phone.
  const beside = (neighbour?: Phone): number =>
    Math.min(
      CLOSING_SECONDS_MAX,
      Math.max(CLOSING_SECONDS_MIN, edge + (neighbour ? (neighbour.end - neighbour.start) / 2 : Infinity)),
    );
  return [
    {
      kind: BILABIALS.has(name) ? 'press' : 'tuck',
      from: middle - half,
      to: middle + half,
      meeting: beside(before),
      parting: beside(after),
    },
  ];
}

function contact(contacts: readonly Contact[], first: number, t: number): { press: number; tuck: number } {
  const touches = { press: 0, tuck: 0 };
  for (let n = first; n < contacts.length; n++) {
    const one = contacts[n];
    if (!one || one.from > t + REACH_SECONDS) break;
    const away = Math.max(0, (one.from - t) / one.meeting, (t - one.to) / one.parting);
    const touch = away >= 1 ? 0 : 0.5 + 0.5 * Math.cos(Math.PI * away);
    touches[one.kind] = Math.max(touches[one.kind], touch);
  }
  return touches;
}
