/** A REST failure on order. */
export interface RestFault {
  /** Default: any. */
  readonly method?: string;
  /** A route template below `/api/v10`, such as `/channels/:channelId/messages`. Default: any. */
  readonly route?: string;
  /** How many requests fail. Default 1. */
  readonly times?: number;
  /** Wait before the answer, in milliseconds of real time. Alone it only makes the request slow. */
  readonly delayMs?: number;
  /** Answered status, or `cut` to close the connection without an answer. Default 500, or none with `delayMs`. */
  readonly status?: number | 'cut';
  /** Answered JSON. Default: Discord's `{message, code}` for the status; for 429 to wait 1 s. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the request takes effect before its answer is replaced. Default `before`. */
  readonly moment?: 'before' | 'after';
}

/** How the CDN misbehaves until it is changed back. */
export interface CdnFault {
  /** Wait before the first byte, in milliseconds of real time. */
  readonly delayMs?: number;
  /** Trickle the file at this rate. */
  readonly bytesPerSecond?: number;
  /** Cut the connection after so many bytes. */
  readonly cutAfterBytes?: number;
  readonly status?: number;
  readonly contentType?: string;
  /** How many downloads are affected. Default 1. */
  readonly times?: number;
}

/** A failure that waits to happen. */
export interface ArmedFault {
  /** Whether some of it is still to come. */
  readonly isArmed: () => boolean;
  /** It shall not happen any more. */
  readonly disarm: () => void;
}

interface Armed<T> {
  readonly fault: T;
  left: number;
}

/** Failures waiting to happen. */
export class FaultPlan {
  readonly #rest: Armed<RestFault>[] = [];
  readonly #cdn: Armed<CdnFault>[] = [];
  readonly #routes = new Set<string>();

  /** Tells which route templates there are, so that a fault on any other is refused at once. */
  knowRoutes(routes: readonly string[]): void {
    for (const route of routes) this.#routes.add(route);
  }

  /** Throws `TypeError` for a route that does not exist. */
  failNext(fault: RestFault): ArmedFault {
    if (fault.route !== undefined && !this.#routes.has(fault.route)) {
      const known = [...this.#routes].join(', ');
      throw new TypeError(`Cannot fail "${fault.route}": there is no such route; there are ${known}`);
    }
    const armed = { fault, left: fault.times ?? 1 };
    this.#rest.push(armed);
    return {
      isArmed: () => this.#rest.includes(armed),
      disarm: () => void this.#rest.splice(0, Infinity, ...this.#rest.filter((entry) => entry !== armed)),
    };
  }

  failNextDownload(fault: CdnFault): void {
    this.#cdn.push({ fault, left: fault.times ?? 1 });
  }

  /** The fault that this request runs into, if one is waiting; uses it up. */
  takeRest(method: string, route: string): RestFault | undefined {
    return take(
      this.#rest,
      (fault) =>
        (fault.method === undefined || fault.method === method) &&
        (fault.route === undefined || fault.route === route),
    );
  }

  takeCdn(): CdnFault | undefined {
    return take(this.#cdn, () => true);
  }

  clear(): void {
    this.#rest.length = 0;
    this.#cdn.length = 0;
  }
}

function take<T>(armed: Armed<T>[], matches: (fault: T) => boolean): T | undefined {
  const entry = armed.find((candidate) => matches(candidate.fault));
  if (!entry) return undefined;
  entry.left--;
  if (entry.left <= 0) armed.splice(armed.indexOf(entry), 1);
  return entry.fault;
}
