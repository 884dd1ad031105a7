import { isLoopbackHost } from '../base/public-address.ts';
import { type MicroUsd, micros, parseUsd } from '../base/money.ts';
import { z } from 'zod';

/** Amounts and numbers may come as text; what only explains may be missing. */
const wireSession = z.object({
  session_id: z.string().min(1).max(500),
  stream_url: z.string().max(4_000),
  session_token: z.string().min(1).max(4_000),
  max_duration_sec: z.coerce.number().min(1).max(86_400),
  max_cost_usd: z.union([z.number(), z.string()]),
  prompt: z.string().max(10_000).nullish().catch(null),
});

/** An open session that waits to be connected to. Its address holds its token, so it shows neither when it is logged. */
export class SessionTicket {
  readonly id: string;
  /** Whole seconds, at least 1: the authoritative length, which may be less than was asked for. */
  readonly grantedSeconds: number;
  /** What `grantedSeconds` cost. */
  readonly maxCost: MicroUsd;
  /** The resolved prompt of a live session. */
  readonly prompt: string | null;
  readonly #url: URL;

  private constructor(session: z.infer<typeof wireSession>, url: URL) {
    this.id = session.session_id;
    this.grantedSeconds = Math.floor(session.max_duration_sec);
    this.maxCost = costOf(session.max_cost_usd);
    this.prompt = session.prompt ?? null;
    this.#url = url;
  }

  /** Reads the answer of an open. Throws on anything that cannot be connected to safely. */
  static read(json: unknown, options: { readonly allowInsecure: boolean }): SessionTicket {
    const session = wireSession.parse(json);
    return new SessionTicket(session, addressOf(session, options.allowInsecure));
  }

  /** Where to connect, with the token. Never to be logged. */
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
  // Word for word what was there: writing by `searchParams` would encode it anew.
  url.search = `${query === '' ? '' : `${query}&`}session_token=${encodeURIComponent(token)}`;
  return url;
}

function costOf(usd: number | string): MicroUsd {
  const cost = parseUsd(usd);
  if (cost < 0) throw new RangeError('Cannot use a session: its price is negative');
  return micros(cost);
}
