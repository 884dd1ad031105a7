import { channel } from 'node:diagnostics_channel';

/** One thing that went over a wire, or into the books, told without anything secret: no keys, links, bodies or names. */
export interface WireNote {
  readonly source: 'rest' | 'gateway' | 'voice' | 'media_api' | 'webhook' | 'session' | 'ledger';
  /** A route template, an event or a posting. */
  readonly what: string;
  readonly status?: number | string | undefined;
  /** How long it took. */
  readonly ms?: number | undefined;
  /** Sizes, counts, amounts, kinds. */
  readonly detail?: Readonly<Record<string, string | number | boolean>> | undefined;
}

const wire = channel('masquerade:wire');

/** Tells whoever watches in this process; `make` is not called when nobody does. */
export function noteWire(make: () => WireNote): void {
  if (wire.hasSubscribers) wire.publish(make());
}

/** Calls `watcher` with each note until disposed. It must not throw. */
export function watchWire(watcher: (note: WireNote) => void): Disposable {
  const listener = (note: unknown): void => watcher(note as WireNote);
  wire.subscribe(listener);
  return { [Symbol.dispose]: () => wire.unsubscribe(listener) };
}

/** A URL's path with every part that is an id of something replaced, so that only the route is told. */
export function routeOf(url: URL): string {
  const part = (text: string): string =>
    (/\d/.test(text) && text.length > 8) || text.length > 24 ? ':id' : text;
  return url.pathname.split('/').map(part).join('/');
}
