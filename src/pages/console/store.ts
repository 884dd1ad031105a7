import { type Signal, signal } from '@preact/signals';
import type {
  ConsoleAnswer,
  ConsoleLists,
  ConsoleState,
  ConsoleVerb,
  WireChange,
  WirePage,
  WireSignedIn,
} from '../../media-server/console/console-wire.ts';
import { Refusal, ask } from './api.ts';

const RETRY_MS = 1_500;
const TOLD_MS = 8_000;
/** Rows of a list that are kept here. */
const ROWS_MAX = 1_000;
const LISTS = ['accounts', 'keys', 'jobs', 'sessions', 'webhooks'] as const;

/** Whether somebody is logged in; `asking` until that is known. */
export const phase: Signal<'asking' | 'outside' | 'inside'> = signal('asking');
/** All that is shown; null until it was told for the first time. */
export const state: Signal<ConsoleState | null> = signal(null);
/** Whether changes arrive as they happen. */
export const isLive: Signal<boolean> = signal(false);
/** What was done last, for people. */
export const told: Signal<string> = signal('');

let events: EventSource | undefined;
let forgetting: ReturnType<typeof setTimeout> | undefined;

/** Finds out where we are. */
export async function begin(): Promise<void> {
  try {
    const { signedIn } = await ask<WireSignedIn>('GET', 'session');
    if (signedIn) goInside();
    else goOutside();
  } catch {
    setTimeout(() => void begin(), RETRY_MS);
  }
}

/** Throws `Refusal`. */
export async function logIn(password: string): Promise<void> {
  await ask('POST', 'session', { password });
  goInside();
}

export async function logOut(): Promise<void> {
  await ask('DELETE', 'session').catch(() => undefined);
  goOutside();
}

/** Does what is asked and says so. Throws `Refusal`. */
export async function tell(verb: ConsoleVerb): Promise<ConsoleAnswer> {
  try {
    const answer = await ask<ConsoleAnswer>('POST', 'verbs', verb);
    say(answer.done);
    return answer;
  } catch (error) {
    if (error instanceof Refusal && error.code === 'signed_out') goOutside();
    throw error;
  }
}

/** Shows and reads out a sentence for a while. */
export function say(sentence: string): void {
  told.value = sentence;
  clearTimeout(forgetting);
  forgetting = setTimeout(() => (told.value = ''), TOLD_MS);
}

/** Reads the list on from where it ends. */
export async function readOn(name: keyof ConsoleLists): Promise<void> {
  const known = state.value?.[name].rows.length ?? 0;
  try {
    const page = await ask<WirePage<{ readonly id: string }>>('GET', `lists/${name}?offset=${known}`);
    const now = state.value;
    if (now) state.value = { ...now, [name]: { rows: joined(now[name].rows, page.rows), more: page.more } };
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
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
  state.value = null;
  phase.value = 'outside';
}

function listen(): void {
  events?.close();
  events = new EventSource('api/events');
  events.addEventListener('message', ({ data }: MessageEvent<string>) => {
    isLive.value = true;
    take(JSON.parse(data) as WireChange);
  });
  events.addEventListener('error', () => {
    isLive.value = false;
    // Otherwise the browser tries again by itself.
    if (events?.readyState !== EventSource.CLOSED) return;
    events = undefined;
    setTimeout(() => void begin(), RETRY_MS);
  });
}

function take(change: WireChange): void {
  const before = state.value;
  if (!before) {
    state.value = change as ConsoleState;
    return;
  }
  const lists = LISTS.filter((name) => change[name]).map((name) => [
    name,
    grown(change[name] as WirePage<{ id: string }>, before[name]),
  ]);
  state.value = { ...before, ...change, ...Object.fromEntries(lists) };
}

/** A first page that was read on before keeps what followed it, and what it pushed out. */
function grown(
  first: WirePage<{ readonly id: string }>,
  before: WirePage<{ readonly id: string }>,
): WirePage<{ readonly id: string }> {
  if (before.rows.length <= first.rows.length) return first;
  return { rows: joined(first.rows, before.rows), more: before.more };
}

function joined<Row extends { readonly id: string }>(first: readonly Row[], rest: readonly Row[]): Row[] {
  const there = new Set(first.map(({ id }) => id));
  return [...first, ...rest.filter(({ id }) => !there.has(id))].slice(0, ROWS_MAX);
}
