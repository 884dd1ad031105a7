import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';

/** One thing that went over a wire, or into the books, told without anything secret: no keys, links, bodies or names. */
export interface WireNote {
  readonly source: 'rest' | 'gateway' | 'voice' | 'media_api' | 'webhook' | 'session' | 'ledger';
  /** A route template, an event or a posting. */
  readonly what: string;
  readonly status?: number | string | undefined;
  /** How long it took. */
  readonly ms?: number | undefined;
  /**
   * The use of the bot that it belongs to, by its interaction's id; never shown. Null: to none that is known. Left out:
   * to whatever was used last, unless it is noted `withinUse`.
   */
  readonly useId?: string | null | undefined;
  /** Sizes, counts, amounts, kinds. */
  readonly detail?: Readonly<Record<string, string | number | boolean>> | undefined;
}

const wire = channel('masquerade:wire');
const uses = new AsyncLocalStorage<string>();

/** Tells whoever watches in this process; `make` is not called when nobody does. */
export function noteWire(make: () => WireNote): void {
  if (!wire.hasSubscribers) return;
  const note = make();
  wire.publish(note.useId === undefined ? { ...note, useId: uses.getStore() } : note);
}

/** Runs `work`: what it notes, now or after what it awaits, belongs to this use of the bot. */
export function withinUse<T>(useId: string, work: () => T): T {
  return wire.hasSubscribers ? uses.run(useId, work) : work();
}

/** Calls `watcher` with each note until disposed. It must not throw. */
export function watchWire(watcher: (note: WireNote) => void): Disposable {
  const listener = (note: unknown): void => watcher(note as WireNote);
  wire.subscribe(listener);
  return { [Symbol.dispose]: () => wire.unsubscribe(listener) };
}

/** A part of a route: a version, or words. */
const ROUTE_PART = /^(?:v\d+|(?=.{0,24}$)[a-z]*(?:-[a-z]+)*)$/;

/** A URL's path with every part that is no word of a route replaced, so that ids, keys and names are not told. */
export function routeOf(url: URL): string {
  const part = (text: string): string => (ROUTE_PART.test(text) ? text : ':id');
  return url.pathname.split('/').map(part).join('/');
}
