import type { PageWireEntry } from '../../wire-views.ts';

export type WireSource = PageWireEntry['source'];

/** The names of the kinds of traffic, in the order of the filter. */
export const SOURCES: Readonly<Record<WireSource, string>> = {
  chat: 'Member',
  gateway: 'Gateway',
  rest: 'Chat REST',
  voice: 'Voice',
  media_api: 'Media API',
  webhook: 'Webhook',
  session: 'Session',
  ledger: 'Ledger',
  fault: 'Fault',
};

export const SOURCE_NAMES: readonly WireSource[] = Object.keys(SOURCES) as WireSource[];
