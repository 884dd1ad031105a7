import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';

/** One message to or from another system, or one ledger entry, without secrets: no keys, links, bodies or names. */
export interface WireNote {
  readonly source: 'rest' | 'gateway' | 'voice' | 'media_api' | 'webhook' | 'session' | 'ledger';
  /** A route template, an event name, or the kind of a ledger entry. */
  readonly what: string;
  readonly status?: number | string | undefined;
  /** The duration in milliseconds. */
  readonly ms?: number | undefined;
  /**
   * The id of the interaction that the note belongs to; it is never shown. Null if the note belongs to no known
   * interaction. If omitted, the note belongs to the interaction of the enclosing `withinUse`, or else to the latest
   * interaction.
   */
  readonly useId?: string | null | undefined;
  /** Details such as sizes, counts, amounts and kinds. */
  readonly detail?: Readonly<Record<string, string | number | boolean>> | undefined;
}

const wire = channel('masquerade:wire');
const uses = new AsyncLocalStorage<string>();

/** Passes a note to the watchers in this process. `make` is not called if there are none. */
export function noteWire(make: () => WireNote): void {
  if (!wire.hasSubscribers) return;
  const note = make();
  wire.publish(note.useId === undefined ? { ...note, useId: uses.getStore() } : note);
}

/** Runs `work`. All notes that it causes, even after an `await`, belong to this use of the bot. */
export function withinUse<T>(useId: string, work: () => T): T {
  return wire.hasSubscribers ? uses.run(useId, work) : work();
}

/** Calls `watcher` with each note until disposed. The watcher must not throw. */
export function watchWire(watcher: (note: WireNote) => void): Disposable {
  const listener = (note: unknown): void => watcher(note as WireNote);
  wire.subscribe(listener);
  return { [Symbol.dispose]: () => wire.unsubscribe(listener) };
}

/** A path segment that belongs to a route: a version, or lower-case words. */
const ROUTE_PART = /^(?:v\d+|(?=.{0,24}$)[a-z]*(?:-[a-z]+)*)$/;

/**
 * Returns a URL's path in which every segment that is not a route word is replaced with `:id`, so that ids, keys and
 * names stay private.
 */
export function routeOf(url: URL): string {
  const part = (text: string): string => (ROUTE_PART.test(text) ? text : ':id');
  return url.pathname.split('/').map(part).join('/');
}
