/** Where undici 6 and Node's own `fetch` keep the connections that every user of them in the process shares. */
export const LEGACY_DISPATCHER: unique symbol = Symbol.for('undici.globalDispatcher.1') as never;

/** What stood there when this module was loaded. */
export const legacyDispatcherBefore: unknown = (globalThis as Record<symbol, unknown>)[LEGACY_DISPATCHER];
