/** A REST fault to inject. */
export interface RestFault {
  /** The method to match. Default: any. */
  readonly method?: string;
  /** A route template below `/api/v10`, such as `/channels/:channelId/messages`. Default: any. */
  readonly route?: string;
  /** The number of requests that fail. Default 1. */
  readonly times?: number;
  /** The wait before the response, in milliseconds of real time. Without a `status`, it only slows the request down. */
  readonly delayMs?: number;
  /**
   * The status of the response, or `cut` to close the connection without a response. Default 500, or the usual response
   * if there is a `delayMs`.
   */
  readonly status?: number | 'cut';
  /** The JSON of the response. Default: Discord's `{message, code}` for the status; for 429, also `retry_after: 1`. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * `before` (the default): the request does not take effect. `after`: it takes effect, but its response is replaced.
   */
  readonly moment?: 'before' | 'after';
}

/** A CDN fault. */
export interface CdnFault {
  /** The wait before the first byte, in milliseconds of real time. */
  readonly delayMs?: number;
  /** Limits the rate at which the file is sent. */
  readonly bytesPerSecond?: number;
  /** Cuts the connection after this many bytes. */
  readonly cutAfterBytes?: number;
  readonly status?: number;
  readonly contentType?: string;
  /** The number of downloads that are affected. Default 1. */
  readonly times?: number;
}

/** A pending fault. */
export interface ArmedFault {
  /** Whether the fault still applies to future requests. */
  readonly isArmed: () => boolean;
  /** Cancels the fault for future requests. */
  readonly disarm: () => void;
}

interface Armed<T> {
  readonly fault: T;
  left: number;
}

/** All pending faults. */
export class FaultPlan {
  readonly #rest: Armed<RestFault>[] = [];
  readonly #cdn: Armed<CdnFault>[] = [];
  readonly #routes = new Set<string>();

  /** Adds templates of routes that exist. A fault for any other route is rejected at once. */
  knowRoutes(routes: readonly string[]): void {
    for (const route of routes) this.#routes.add(route);
  }

  /** Adds a fault. Throws `TypeError` for a route that does not exist. */
  failNext(fault: RestFault): ArmedFault {
    if (fault.route !== undefined && !this.#routes.has(fault.route)) {
      const known = [...this.#routes].join(', ');
      throw new TypeError(
        `Cannot inject a fault for "${fault.route}": there is no such route. Known routes: ${known}`,
      );
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

  /** Returns a pending fault for this request, if there is one, and counts it as used once. */
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
