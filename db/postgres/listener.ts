import { type Kysely, sql } from 'kysely';
import { Client, type ClientConfig } from 'pg';
import { systemClock, type Timer } from '../../src/base/clock.ts';
import { randomId } from '../../src/base/ids.ts';
import type { Logger } from '../../src/base/log.ts';
import { type Backoff, backoffMs } from '../../src/base/retry.ts';
import type { Changes, Topic } from '../changes.ts';
import type { Schema } from '../schema.ts';

const CHANNEL = 'masquerade_changes';
const RECONNECT: Backoff = { delayMsFirst: 250, delayMsMax: 15_000 };
const TOPICS: readonly Topic[] = ['jobs', 'removals'];

interface ListenerOptions {
  readonly kysely: Kysely<Schema>;
  /** The settings of the listening connection. The connection exists as long as there are listeners. */
  readonly config: ClientConfig;
  readonly log: Logger;
}

/**
 * Exchanges notifications with other processes by LISTEN and NOTIFY. If the listening connection breaks, a new one
 * replaces it.
 */
export class Listener implements Changes, AsyncDisposable {
  readonly #options: ListenerOptions;
  /** Identifies this process, so that it ignores its own notifications. */
  readonly #origin: string = randomId('from');
  readonly #heard = new Map<Topic, Set<() => void>>(TOPICS.map((topic) => [topic, new Set()]));
  readonly #toTell = new Set<Topic>();
  #sending: Promise<void> | undefined;
  #client: Client | undefined;
  #connecting: Promise<void> | undefined;
  #reconnect: Timer | undefined;
  #failures = 0;
  #isDisposed = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  notify(topic: Topic): void {
    if (this.#isDisposed) return;
    this.#toTell.add(topic);
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
  }

  listen(topic: Topic, heard: () => void): Disposable {
    // The same callback may be registered twice, so each registration gets its own function in the set.
    const call = (): void => heard();
    this.#heard.get(topic)?.add(call);
    this.#connect();
    return { [Symbol.dispose]: () => void this.#heard.get(topic)?.delete(call) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#reconnect?.cancel();
    await this.#connecting;
    await this.#client?.end().catch(() => undefined);
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { kysely, log } = this.#options;
    for (const topic of this.#toTell) {
      this.#toTell.delete(topic);
      try {
        await sql`select pg_notify(${CHANNEL}, ${`${this.#origin} ${topic}`})`.execute(kysely);
      } catch (error) {
        log.warn({ error }, 'Cannot notify other processes of a change, they will find it by themselves');
      }
    }
  }

  #connect(): void {
    if (this.#client || this.#connecting || this.#isDisposed) return;
    this.#connecting = this.#open().finally(() => (this.#connecting = undefined));
  }

  async #open(): Promise<void> {
    const client = new Client(this.#options.config);
    client.on('error', () => this.#lost(client));
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ payload = '' }) => this.#hear(payload));
    this.#client = client;
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      this.#failures = 0;
      // Notifications that were sent before the connection began to listen are missed, so check once now.
      for (const topic of TOPICS) this.#call(topic);
    } catch {
      this.#lost(client);
    }
  }

  #lost(client: Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    void client.end().catch(() => undefined);
    if (this.#isDisposed) return;
    this.#failures += 1;
    this.#options.log.warn({}, 'Cannot listen to other processes, will try again');
    // The connection is real even in tests, so the wait uses the system clock rather than one that tests control.
    const delayMs = backoffMs(RECONNECT, this.#failures);
    this.#reconnect = systemClock.after(delayMs, () => this.#connect(), { background: true });
  }

  #hear(payload: string): void {
    const [origin, topic] = payload.split(' ');
    if (origin === this.#origin) return;
    for (const known of TOPICS) if (known === topic) this.#call(known);
  }

  #call(topic: Topic): void {
    for (const heard of this.#heard.get(topic) ?? []) heard();
  }
}
