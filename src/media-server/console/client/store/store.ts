import { type ReadonlySignal, type Signal, computed, signal } from '@preact/signals';
import type {
  ConsoleAnswer,
  ConsoleState,
  ConsoleVerb,
  WireChange,
  WirePage,
  WireSignedIn,
} from '../../console-wire.ts';
import { Refusal, request, messageOf } from './api.ts';
import { type ListName, type MoreRows, withMoreRows } from './more-rows.ts';

const RETRY_MS = 1_500;
const NOTICE_MS = 8_000;
/** The delay between a change and the reload of the rows after the first page. */
const RELOAD_AFTER_MS = 1_000;
const PAGE_ROWS = 50;
/** The largest number of rows that can be loaded after the first page. */
export const MORE_ROWS_MAX = 500;

/** Whether a user is logged in. With the first three values, neither the log-in page nor the console is shown. */
export const phase: Signal<'loading' | 'unreachable' | 'full' | 'logged-out' | 'logged-in'> =
  signal('loading');
/** Whether the event stream is connected. */
export const isLive: Signal<boolean> = signal(false);
/** A message for users about the last action. */
export const notice: Signal<string> = signal('');

/** The last state from the server, with the first page of each list. */
const first: Signal<ConsoleState | null> = signal(null);
const moreRows: Signal<MoreRows> = signal({});
/** The state that is shown; null until the server sends the first one. */
export const state: ReadonlySignal<ConsoleState | null> = computed(
  () => first.value && withMoreRows(first.value, moreRows.value),
);

let events: EventSource | undefined;
let noticeTimer: ReturnType<typeof setTimeout> | undefined;
let reloadTimer: ReturnType<typeof setTimeout> | undefined;

/** Asks the server whether a user is logged in, repeatedly until it answers. */
export async function connect(): Promise<void> {
  try {
    const { signedIn, isFull } = await request<WireSignedIn>('GET', 'session');
    if (!signedIn) showLogIn();
    else if (!isFull) showConsole();
    else {
      phase.value = 'full';
      setTimeout(() => void connect(), RETRY_MS);
    }
  } catch {
    if (phase.value === 'loading') phase.value = 'unreachable';
    setTimeout(() => void connect(), RETRY_MS);
  }
}

/** Logs in. Throws `Refusal`. */
export async function logIn(password: string): Promise<void> {
  await request('POST', 'session', { password });
  showConsole();
}

/** Logs out. If the server cannot be reached, it shows an error and the user stays logged in. */
export async function logOut(): Promise<void> {
  try {
    await whileLoggedIn(() => request('DELETE', 'session'));
    showLogIn();
  } catch (error) {
    showNotice(messageOf(error));
  }
}

/** Sends a verb to the server. Throws `Refusal`. */
export async function sendVerb(verb: ConsoleVerb): Promise<ConsoleAnswer> {
  const answer = await whileLoggedIn(() => request<ConsoleAnswer>('POST', 'verbs', verb));
  reloadMoreRowsSoon();
  return answer;
}

/** Sends a `GET` request to a path that requires a log-in. Throws `Refusal`. */
export async function read<T>(path: string): Promise<T> {
  return await whileLoggedIn(() => request<T>('GET', path));
}

/** Shows a sentence for a few seconds; screen readers read it out. */
export function showNotice(sentence: string): void {
  notice.value = sentence;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => (notice.value = ''), NOTICE_MS);
}

/** Loads the next rows of a list. */
export async function loadMore(name: ListName): Promise<void> {
  try {
    await loadRows(name, (moreRows.value[name]?.rows.length ?? 0) + PAGE_ROWS);
  } catch (error) {
    showNotice(messageOf(error));
  }
}

async function whileLoggedIn<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof Refusal && error.code === 'signed_out') showLogIn();
    throw error;
  }
}

function showConsole(): void {
  phase.value = 'logged-in';
  listen();
}

function showLogIn(): void {
  events?.close();
  events = undefined;
  isLive.value = false;
  first.value = null;
  moreRows.value = {};
  phase.value = 'logged-out';
}

function listen(): void {
  events?.close();
  events = new EventSource('api/events');
  events.addEventListener('message', ({ data }: MessageEvent<string>) => {
    isLive.value = true;
    // The first change contains everything.
    first.value = { ...first.value, ...(JSON.parse(data) as WireChange) } as ConsoleState;
    reloadMoreRowsSoon();
  });
  events.addEventListener('error', () => {
    isLive.value = false;
    // Unless the stream is closed, the browser reconnects by itself.
    if (events?.readyState !== EventSource.CLOSED) return;
    events = undefined;
    void connect();
  });
}

/**
 * The server only sends changes to first pages, so the rows after them are read again. Changes in quick succession
 * cause only one reload.
 */
function reloadMoreRowsSoon(): void {
  if (Object.keys(moreRows.value).length > 0)
    reloadTimer ??= setTimeout(() => void reloadMoreRows(), RELOAD_AFTER_MS);
}

/** A list that cannot be read is reloaded after the next change. */
async function reloadMoreRows(): Promise<void> {
  const names = Object.keys(moreRows.value) as ListName[];
  await Promise.allSettled(names.map((name) => loadRows(name, moreRows.value[name]?.rows.length ?? 0)));
  reloadTimer = undefined;
}

async function loadRows(name: ListName, rows: number): Promise<void> {
  const offset = first.value?.[name].rows.length ?? 0;
  const limit = Math.min(Math.max(rows, PAGE_ROWS), MORE_ROWS_MAX);
  const page = await read<WirePage<{ readonly id: string }>>(`lists/${name}?offset=${offset}&limit=${limit}`);
  if (phase.value === 'logged-in') moreRows.value = { ...moreRows.value, [name]: page };
}
