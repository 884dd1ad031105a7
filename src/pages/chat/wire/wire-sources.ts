import type { PageWireEntry } from '../../../sandbox/page/page-views.ts';

export type WireSource = PageWireEntry['source'];

/** What each kind of traffic is called, in the order of the filter. */
export const SOURCES = {
  chat: 'Member',
  gateway: 'Gateway',
  rest: 'Chat REST',
  voice: 'Voice',
  media_api: 'Media API',
  webhook: 'Webhook',
  session: 'Session',
  ledger: 'Ledger',
  fault: 'Fault',
} as const satisfies Record<WireSource, string>;

export const SOURCE_NAMES: readonly WireSource[] = Object.keys(SOURCES) as WireSource[];
