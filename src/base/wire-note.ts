import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';

/** One message on a wire, or one entry in the ledger, without secrets: no keys, links, bodies or names. */
export interface WireNote {
  readonly source: 'rest' | 'gateway' | 'voice' | 'media_api' | 'webhook' | 'session' | 'ledger';
  /** The template of a route, the name of an event or the kind of a posting. */
  readonly what: string;
  readonly status?: number | string | undefined;
  /** The duration in milliseconds. */
  readonly ms?: number | undefined;
  /**
   * The id of the interaction that it belongs to. It is never shown. Null if it belongs to no known interaction. If
   * omitted, it belongs to the latest interaction, unless it is recorded inside `withinUse`.
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

/** Runs `work`. All notes that it causes, also after an `await`, belong to this use of the bot. */
export function withinUse<T>(useId: string, work: () => T): T {
  return wire.hasSubscribers ? uses.run(useId, work) : work();
}

/** Calls `watcher` with each note until disposed. The watcher must not throw. */
export function watchWire(watcher: (note: WireNote) => void): Disposable {
  const listener = (note: unknown): void => watcher(note as WireNote);
  wire.subscribe(listener);
  return { [Symbol.dispose]: () => wire.unsubscribe(listener) };
}

/** A part of a path that belongs to a route: a version or words. */
const ROUTE_PART = /^(?:v\d+|(?=.{0,24}$)[a-z]*(?:-[a-z]+)*)$/;

/**
 * Returns a URL's path in which every part that is not a word of a route is replaced, so that ids, keys and names stay
 * private.
 */
export function routeOf(url: URL): string {
  const part = (text: string): string => (ROUTE_PART.test(text) ? text : ':id');
  return url.pathname.split('/').map(part).join('/');
}
