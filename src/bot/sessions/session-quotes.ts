import type { Quote } from '../jobs/prices/quote.ts';
import type { SessionCapability } from '../../media-api/wire.ts';

/** Returns the expected cost of a session. The job pipeline's quotes implement it. */
export interface SessionQuotes {
  ofSession(capability: SessionCapability, seconds: number): Pick<Quote, 'hold' | 'snapshot'>;
}
