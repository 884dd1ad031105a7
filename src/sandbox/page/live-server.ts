import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Timer } from '../../base/clock.ts';
import { ChannelEncryption } from '../channel-encryption.ts';
import { LiveConnection, type LiveParts } from './live-connection.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import type { PageGuard } from './page-guard.ts';
import { SpeakerWatch } from './speaker-watch.ts';

const MESSAGE_BYTES_MAX = 16 * 1024;
const CONNECTIONS_MAX = 32;
/** The interval between pings. A page that has not answered a ping before the next ping is considered gone. */
const PING_MS = 20_000;

/** The WebSocket of the chat page. It sends every page the changes that its acting user sees. */
export class LiveServer implements AsyncDisposable {
  readonly #parts: LiveParts;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES_MAX,
    perMessageDeflate: false,
  });
  readonly #connections = new Map<WebSocket, LiveConnection>();
  readonly #answered = new WeakSet<WebSocket>();
  readonly #speakers: SpeakerWatch;
  readonly #stops: readonly (() => void)[];
  readonly #standing = new Map<string, string>();
  #pings: Timer | undefined;

  constructor(parts: Omit<LiveParts, 'source'> & { source: Omit<LiveParts['source'], 'isSpeaking'> }) {
    const { world } = parts.source;
    this.#speakers = new SpeakerWatch(world, parts.clock, (channelId, userId) =>
      this.#each((connection) => connection.speaking(channelId, userId)),
    );
    const isSpeaking = (channelId: string, userId: string): boolean =>
      this.#speakers.isSpeaking(channelId, userId);
    this.#parts = { ...parts, source: { ...parts.source, isSpeaking } };
    this.#stops = [
      world.watch((touched) => this.#each((connection) => connection.touched(touched))),
      world.changes.listen(() => this.#changed()),
      world.calls.listen({
        heard: (...hearing) => this.#each((connection) => connection.heard(...hearing)),
      }),
      parts.wireLog.watch(() => {
        this.#each((connection) => connection.wireChanged());
        this.#changed();
      }),
    ];
  }

  /** The data from which the views of all pages are made. */
  get source(): LiveParts['source'] {
    return this.#parts.source;
  }

  /** Accepts a WebSocket upgrade if it comes from a page at the guard's address, and rejects it otherwise. */
  upgrade(guard: PageGuard, request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (guard.refusal(request) !== undefined) return refuseUpgrade(socket, '403 Forbidden');
    if (this.#connections.size >= CONNECTIONS_MAX) return refuseUpgrade(socket, '503 Service Unavailable');
    this.#server.handleUpgrade(request, socket, head, (client) => this.#accept(client, guard.origin));
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const stop of this.#stops) stop();
    this.#speakers[Symbol.dispose]();
    this.#pings?.cancel();
    for (const [socket, connection] of this.#connections) {
      connection.ended();
      socket.terminate();
    }
    this.#connections.clear();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #accept(socket: WebSocket, origin: string): void {
    const connection = new LiveConnection(this.#parts, socket, origin);
    // Changes are not detected while there is no page. Detecting them now, before the first page is added, makes sure
    // that only later changes are sent to that page.
    if (this.#connections.size === 0) this.#lookAround();
    this.#connections.set(socket, connection);
    this.#answered.add(socket);
    socket.on('error', () => socket.terminate());
    socket.on('pong', () => this.#answered.add(socket));
    socket.on('message', (data, isBinary) => connection.receive(toBuffer(data), isBinary));
    socket.on('close', () => {
      connection.ended();
      this.#connections.delete(socket);
    });
    this.#pings ??= this.#parts.clock.after(PING_MS, () => this.#ping(), { background: true });
  }

  #ping(): void {
    for (const socket of this.#connections.keys()) {
      if (!this.#answered.delete(socket)) socket.terminate();
      else socket.ping();
    }
    const isNeeded = this.#connections.size > 0;
    this.#pings = isNeeded
      ? this.#parts.clock.after(PING_MS, () => this.#ping(), { background: true })
      : undefined;
  }

  #changed(): void {
    if (this.#connections.size > 0) this.#lookAround();
  }

  /** Detects changes that cause no event: the faults, whether the bot is online, and the state of calls. */
  #lookAround(): void {
    const { world, application, isOnline } = this.#parts.source;
    const ordered = this.#parts.faults().map(({ on, unavailable }) => `${on} ${unavailable}`);
    if (this.#isNew('faults', ordered.join())) this.#each((connection) => connection.faultsChanged());
    if (this.#isNew('bot', String(isOnline(application)))) {
      this.#each((connection) => connection.botChanged());
    }
    for (const guild of world.guilds.values()) {
      const channelIds = new Set([...guild.voiceStates.values()].map((state) => state.channelId));
      const standing = [...channelIds].map((id) => {
        const { epoch } = new ChannelEncryption(world.calls, id);
        return `${id} ${epoch} ${world.calls.of(id).userIds.join(' ')}`;
      });
      if (!this.#isNew(guild.id, standing.join(';'))) continue;
      this.#each((connection) => connection.touched({ is: 'guild', guildId: guild.id }));
    }
  }

  #isNew(key: string, value: string): boolean {
    const before = this.#standing.get(key);
    this.#standing.set(key, value);
    return before !== value;
  }

  #each(notify: (connection: LiveConnection) => void): void {
    for (const connection of this.#connections.values()) notify(connection);
  }
}

function toBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
