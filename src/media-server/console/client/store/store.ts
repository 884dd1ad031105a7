import { type ReadonlySignal, type Signal, computed, signal } from '@preact/signals';
import type {
  ConsoleAnswer,
  ConsoleState,
  ConsoleVerb,
  WireChange,
  WirePage,
  WireSignedIn,
} from '../../console-wire.ts';
import { Refusal, ask, wordsOf } from './api.ts';
import { type ListName, type Rests, withRests } from './lists.ts';

const RETRY_MS = 1_500;
const TOLD_MS = 8_000;
/** How soon after a change the rest of the lists is read again. */
const REST_AFTER_MS = 1_000;
const PAGE_ROWS = 50;
/** Rows after the first page that can be read on. */
export const REST_ROWS_MAX = 500;

/** Whether somebody is logged in; otherwise why that is not known yet, or why it helps nothing. */
export const phase: Signal<'asking' | 'away' | 'full' | 'outside' | 'inside'> = signal('asking');
/** Whether changes arrive as they happen. */
export const isLive: Signal<boolean> = signal(false);
/** What was done last, for people. */
export const told: Signal<string> = signal('');

/** All that is told; of each list the first page. */
const first: Signal<ConsoleState | null> = signal(null);
const rests: Signal<Rests> = signal({});
/** All that is shown; null until it was told for the first time. */
export const state: ReadonlySignal<ConsoleState | null> = computed(
  () => first.value && withRests(first.value, rests.value),
);

let events: EventSource | undefined;
let forgetting: ReturnType<typeof setTimeout> | undefined;
let readingRests: ReturnType<typeof setTimeout> | undefined;

/** Finds out where we are, and again until that is known. */
export async function begin(): Promise<void> {
  try {
    const { signedIn, isFull } = await ask<WireSignedIn>('GET', 'session');
    if (!signedIn) goOutside();
    else if (!isFull) goInside();
    else {
      phase.value = 'full';
      setTimeout(() => void begin(), RETRY_MS);
    }
  } catch {
    if (phase.value === 'asking') phase.value = 'away';
    setTimeout(() => void begin(), RETRY_MS);
  }
}

/** Throws `Refusal`. */
export async function logIn(password: string): Promise<void> {
  await ask('POST', 'session', { password });
  goInside();
}

/** Says so when the server could not be told: then the log-in goes on. */
export async function logOut(): Promise<void> {
  try {
    await inside(() => ask('DELETE', 'session'));
    goOutside();
  } catch (error) {
    say(wordsOf(error));
  }
}

/** Does what is asked. Throws `Refusal`. */
export async function tell(verb: ConsoleVerb): Promise<ConsoleAnswer> {
  const answer = await inside(() => ask<ConsoleAnswer>('POST', 'verbs', verb));
  readRestsSoon();
  return answer;
}

/** Asks what only those may know who are logged in. Throws `Refusal`. */
export async function read<T>(path: string): Promise<T> {
  return await inside(() => ask<T>('GET', path));
}

/** Shows and reads out a sentence for a while. */
export function say(sentence: string): void {
  told.value = sentence;
  clearTimeout(forgetting);
  forgetting = setTimeout(() => (told.value = ''), TOLD_MS);
}

/** Reads the list on from where it ends. */
export async function readOn(name: ListName): Promise<void> {
  try {
    await readRest(name, (rests.value[name]?.rows.length ?? 0) + PAGE_ROWS);
  } catch (error) {
    say(wordsOf(error));
  }
}

async function inside<T>(asking: () => Promise<T>): Promise<T> {
  try {
    return await asking();
  } catch (error) {
    if (error instanceof Refusal && error.code === 'signed_out') goOutside();
    throw error;
  }
}

function goInside(): void {
  phase.value = 'inside';
  listen();
}

function goOutside(): void {
  events?.close();
  events = undefined;
  isLive.value = false;
  first.value = null;
  rests.value = {};
  phase.value = 'outside';
}

function listen(): void {
  events?.close();
  events = new EventSource('api/events');
  events.addEventListener('message', ({ data }: MessageEvent<string>) => {
    isLive.value = true;
    // The first change holds everything.
    first.value = { ...first.value, ...(JSON.parse(data) as WireChange) } as ConsoleState;
    readRestsSoon();
  });
  events.addEventListener('error', () => {
    isLive.value = false;
    // Otherwise the browser tries again by itself.
    if (events?.readyState !== EventSource.CLOSED) return;
    events = undefined;
    void begin();
  });
}

/** Only first pages are told as they change: what follows them is read again, one time for many changes. */
function readRestsSoon(): void {
  if (Object.keys(rests.value).length > 0) readingRests ??= setTimeout(() => void readRests(), REST_AFTER_MS);
}

/** What fails is read again after the next change. */
async function readRests(): Promise<void> {
  const names = Object.keys(rests.value) as ListName[];
  await Promise.allSettled(names.map((name) => readRest(name, rests.value[name]?.rows.length ?? 0)));
  readingRests = undefined;
}

async function readRest(name: ListName, rows: number): Promise<void> {
  const offset = first.value?.[name].rows.length ?? 0;
  const limit = Math.min(Math.max(rows, PAGE_ROWS), REST_ROWS_MAX);
  const page = await read<WirePage<{ readonly id: string }>>(`lists/${name}?offset=${offset}&limit=${limit}`);
  if (phase.value === 'inside') rests.value = { ...rests.value, [name]: page };
}
