import { type MicroUsd, formatUsd, micros } from '../../../base/money.ts';
import type { ProgressCard, ProgressStage } from '../../jobs/cards.ts';
import type { CapView } from '../../money/caps/cap.ts';

/** A job's type, named as in the API. */
export type Capability = ProgressCard['capability'];

/** The label of every result. */
export const AI_LABEL = 'AI-altered media';

export const NOTHING_CHARGED = 'Nothing was charged.';

/** A note for members who deleted their data. */
export const COUNTS_FROM_BEFORE =
  'What was charged before you deleted your data still counts until the limits reset.';

export const NOTHING_CHARGED_YET = 'Nothing was charged so far.';

export const CAPABILITY_NAMES: Readonly<Record<Capability, string>> = {
  identity_swap: 'Identity Swap',
  video_swap: 'Video Swap',
  photo_swap: 'Photo Swap',
  motion_transfer: 'Motion Transfer',
  avatar: 'Avatar',
  lip_sync: 'Lip Sync',
};

/** Everything that a server's admins can allow, forbid, and set a budget for. */
export const GATED_NAMES: Readonly<Record<string, string>> = {
  ...CAPABILITY_NAMES,
  voice_swap: 'Voice Swap',
  live_swap_pro: 'Live Swap Pro',
};

type StepStage = Exclude<ProgressStage, 'queued' | 'cancelling'>;

const STEP_TEXTS: Readonly<Record<StepStage, string>> = {
  fetching: 'Getting your files',
  uploading: 'Sending your files to the media service',
  at_service: 'The service is working on it',
  collecting: 'Collecting the result',
};

const STEPS = Object.keys(STEP_TEXTS) as readonly StepStage[];

const CANCELLING_TEXT =
  '**Cancelled**\nThe service had it already: it runs to its end there and is billed. Its result will be neither shown nor kept.';

/** Returns text such as "The service is working on it (step 3 of 4)", or the job's place in the queue. */
export function stageText({ stage, position }: Pick<ProgressCard, 'stage' | 'position'>): string {
  if (stage === 'cancelling') return CANCELLING_TEXT;
  if (stage === 'queued') return `**Waiting in line**${position === undefined ? '' : placeText(position)}`;
  return `**${STEP_TEXTS[stage]}** (step ${STEPS.indexOf(stage) + 1} of ${STEPS.length})`;
}

function placeText(position: number): string {
  return position <= 1 ? ': yours is next' : `: number ${position} in this server's line`;
}

const CENT = 10_000;

/**
 * Returns an estimated amount such as "about $0.12", rounded up to whole cents, or to two significant digits if it is
 * less than a cent.
 */
export function aboutText(amount: MicroUsd): string {
  const digits = String(amount).length;
  const step = amount >= CENT ? CENT : 10 ** Math.max(0, digits - 2);
  return `about ${formatUsd(micros(Math.ceil(amount / step) * step))}`;
}

/** Returns text such as "0.8 s", "12 s", "3 min 5 s" or "1 h 30 min". */
export function durationText(durationMs: number): string {
  if (durationMs < 950) return `${(Math.max(durationMs, 100) / 1000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return twoUnits(seconds, 'min', 's');
  return twoUnits(Math.round(seconds / 60), 'h', 'min');
}

function twoUnits(count: number, large: string, small: string): string {
  const rest = count % 60;
  const whole = `${Math.floor(count / 60)} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

/**
 * Returns a time that Discord shows in each reader's time zone: `F` in full, `f` without the weekday, `R` as "in 3
 * days".
 */
export function momentText(atMs: number, style: 'F' | 'f' | 'R'): string {
  return `<t:${Math.floor(atMs / 1000)}:${style}>`;
}

export const PERIOD_NAMES: Readonly<Record<CapView['period'], { adjective: string; current: string }>> = {
  day: { adjective: 'daily', current: 'today' },
  week: { adjective: 'weekly', current: 'this week' },
  month: { adjective: 'monthly', current: 'this month' },
  total: { adjective: 'total', current: 'in all' },
};
