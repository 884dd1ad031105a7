import { isLoopbackHost } from '../base/public-address.ts';
import { type MicroUsd, micros, parseUsd } from '../base/money.ts';
import { z } from 'zod';

/** Amounts and numbers may arrive as text. Fields that only explain something may be missing. */
const wireSession = z.object({
  session_id: z.string().min(1).max(500),
  stream_url: z.string().max(4_000),
  session_token: z.string().min(1).max(4_000),
  max_duration_sec: z.coerce.number().min(1).max(86_400),
  max_cost_usd: z.union([z.number(), z.string()]),
  prompt: z.string().max(10_000).nullish().catch(null),
});

/**
 * An open session to which no client has connected yet. Its address contains its token, so both stay hidden if the
 * ticket is logged.
 */
export class SessionTicket {
  readonly id: string;
  /** The length that the service granted, in whole seconds, at least 1. It may be shorter than requested. */
  readonly grantedSeconds: number;
  /** The price of `grantedSeconds`. */
  readonly maxCost: MicroUsd;
  /** The prompt that the service uses for a live session, or null. */
  readonly prompt: string | null;
  readonly #url: URL;

  private constructor(session: z.infer<typeof wireSession>, url: URL) {
    this.id = session.session_id;
    this.grantedSeconds = Math.floor(session.max_duration_sec);
    this.maxCost = costOf(session.max_cost_usd);
    this.prompt = session.prompt ?? null;
    this.#url = url;
  }

  /** Parses the answer to a request that opens a session. Throws on anything that is not safe to connect to. */
  static read(json: unknown, options: { readonly allowInsecure: boolean }): SessionTicket {
    const session = wireSession.parse(json);
    return new SessionTicket(session, addressOf(session, options.allowInsecure));
  }

  /** The address to connect to, with the token. It must never be logged. */
  address(): URL {
    return new URL(this.#url);
  }
}

function addressOf(
  { stream_url: text, session_token: token }: z.infer<typeof wireSession>,
  allowInsecure: boolean,
): URL {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '') {
    throw new RangeError('Cannot use a session: its address is not a plain URL');
  }
  const isSafe =
    url.protocol === 'wss:' || (url.protocol === 'ws:' && (allowInsecure || isLoopbackHost(url.hostname)));
  if (!isSafe) throw new RangeError('Cannot use a session: its address is neither wss nor on loopback');
  const query = url.search.replace(/^\?/, '');
  url.hash = '';
  // The existing query stays unchanged, because `searchParams` would encode it again.
  url.search = `${query === '' ? '' : `${query}&`}session_token=${encodeURIComponent(token)}`;
  return url;
}

function costOf(usd: number | string): MicroUsd {
  const cost = parseUsd(usd);
  if (cost < 0) throw new RangeError('Cannot use a session: its price is negative');
  return micros(cost);
}
