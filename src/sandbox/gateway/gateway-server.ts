import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../base/clock.ts';
import { randomId } from '../../base/ids.ts';
import type { Guild } from '../chat/guild.ts';
import type { Payload } from '../chat/payload.ts';
import { guildCreatePayload, memberPayload, selfPayload } from '../chat/payloads.ts';
import { allows, permissionsOf } from '../chat/permissions.ts';
import type { Application } from '../chat/user.ts';
import type { Dispatch, World } from '../chat/world.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import { Connection, type ConnectionHost } from './connection.ts';
import {
  CLOSE_CODES,
  type ClientFrame,
  type MembersRequest,
  OPCODES,
  type Shard,
  type VoiceStateRequest,
} from './frames.ts';
import { type Session, shardCovers } from './session.ts';
import { SessionTable } from './session-table.ts';
import { Wire } from './wire.ts';

const INTENT_GUILDS = 1;
const INTENT_GUILD_MEMBERS = 2;
const DAY_MS = 86_400_000;
const SESSION_STARTS_PER_DAY = 1000;
/**
 * How many times a bot may identify within 5 s. Bots receive this limit, but it is not enforced, because tests restart
 * bots more often.
 */
const MAX_CONCURRENCY = 16;
const SOCKET_PAYLOAD_BYTES_MAX = 64 * 1024;

/** The number of guilds per session that Discord recommends, and the highest number that it permits. */
export interface GuildsPerShard {
  readonly recommended: number;
  readonly max: number;
}

/** How many times a bot may still identify, as `GET /gateway/bot` returns it. */
interface SessionStartLimit {
  readonly total: number;
  readonly remaining: number;
  /** The milliseconds until `remaining` is `total` again. */
  readonly reset_after: number;
  readonly max_concurrency: number;
}

/** The paths at which bots connect: that of some gateway's URL, or `/`. Some clients append a slash. */
const GATEWAY_PATH = /^\/(?:gateway_[a-z2-7]+\/?)?$/;

/** Options for the gateway. */
interface GatewayOptions {
  readonly world: World;
  /** The clock that runs in real time, for heartbeats and send limits. */
  readonly wireClock: Clock;
  readonly heartbeatIntervalMs: number;
  readonly guildsPerShard: GuildsPerShard;
  /** Called for each event and each closed connection. `deliveredTo` is the number of sessions that were affected. */
  readonly observe?: (event: string, deliveredTo: number) => void;
}

/** Accepts a WebSocket upgrade, or rejects it. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Called with a bot's request to join, leave or change voice channels, which the voice server handles. */
type VoiceStateListener = (session: Session, request: VoiceStateRequest) => void;

/** The gateway: the bots' sessions and the events that they receive. */
export class GatewayServer {
  readonly sessions: SessionTable = new SessionTable();
  readonly #options: GatewayOptions;
  readonly #world: World;
  /** The path of the URL that clients of this gateway receive. */
  readonly #path = `/${randomId('gateway')}`;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: SOCKET_PAYLOAD_BYTES_MAX,
    perMessageDeflate: false,
  });
  readonly #connections = new Set<Connection>();
  #voiceListener: VoiceStateListener | undefined;
  readonly #starts = new Map<string, { count: number; sinceMs: number }>();
  #duplicates = 0;
  #answersHeartbeats = true;
  #losesInteractions = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#world = options.world;
    this.#world.onDispatch((dispatch) => this.#deliver(dispatch));
  }

  /**
   * The URL for the clients of this gateway. It differs from that of every other gateway, so that this one recognises
   * bots of a sandbox that used its port before.
   */
  url(): string {
    return `${this.#world.cdnBase.replace(/^http/, 'ws')}${this.#path}`;
  }

  /** Handles WebSocket upgrades of `server` for bots. `others` contains the handlers for other paths. */
  attach(server: Server, others: Readonly<Record<string, Upgrade>> = {}): void {
    server.on('upgrade', (request, socket, head) => {
      const other = others[(request.url ?? '/').split('?', 1)[0] ?? '/'];
      if (other) other(request, socket, head);
      else this.#upgrade(request, socket, head);
    });
  }

  onVoiceState(listener: VoiceStateListener): void {
    this.#voiceListener = listener;
  }

  /** Whether an identified session of this application is currently connected. */
  isOnline(application: Application): boolean {
    return [...this.sessions.values()].some(
      (session) => session.application === application && session.wire?.isOpen === true,
    );
  }

  /** Returns how many sessions an application may still start today. */
  sessionStartLimit(application: Application): SessionStartLimit {
    const { count, sinceMs } = this.#startsOf(application);
    return {
      total: SESSION_STARTS_PER_DAY,
      remaining: Math.max(0, SESSION_STARTS_PER_DAY - count),
      reset_after: Math.round(DAY_MS - (this.#options.wireClock.monotonic() - sinceMs)),
      max_concurrency: MAX_CONCURRENCY,
    };
  }

  /** Returns the recommended number of shards for the bot, as `GET /gateway/bot` returns it. */
  recommendedShards(application: Application): number {
    const { recommended } = this.#options.guildsPerShard;
    return Math.max(1, Math.ceil(this.#guildsOf(application, [0, 1]).length / recommended));
  }

  /** Closes every connection with this close code. 1006 cuts the connections without a close code. */
  drop(code: number): void {
    for (const connection of this.#connections) {
      if (code === 1006) connection.wire.terminate();
      else connection.wire.close(code);
    }
  }

  /** Asks every client to reconnect (op 7). */
  askToReconnect(): void {
    for (const { wire } of this.#connections) {
      wire.send({ op: OPCODES.reconnect, d: null, s: null, t: null });
    }
  }

  /** Informs every client that its session is invalid (op 9), and deletes the session unless it is resumable. */
  invalidateSessions(resumable: boolean): void {
    for (const connection of this.#connections) connection.invalidate(resumable);
    this.#world.changes.notify();
  }

  /** Sends the next `times` events twice. */
  duplicateNext(times: number): void {
    this.#duplicates += times;
  }

  /** While `answers` is false, heartbeats are not answered, as on a dead connection. */
  answerHeartbeats(answers: boolean): void {
    this.#answersHeartbeats = answers;
  }

  /** Whether interactions are withheld from the bots. */
  get losesInteractions(): boolean {
    return this.#losesInteractions;
  }

  /** While `loses` is true, bots do not receive interactions. */
  loseInteractions(loses: boolean): void {
    this.#losesInteractions = loses;
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const connection of this.#connections) {
      connection.ended();
      connection.wire.terminate();
    }
    this.#connections.clear();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = URL.parse(request.url ?? '/', 'ws://gateway');
    if (!url || !GATEWAY_PATH.test(url.pathname)) {
      this.#world.violations.record('unknown_route', 'gateway', url?.pathname ?? 'no path');
      return refuseUpgrade(socket, '404 Not Found');
    }
    this.#server.handleUpgrade(request, socket, head, (client) => this.#accept(client, url));
  }

  #accept(socket: WebSocket, { pathname, searchParams: query }: URL): void {
    const wire = new Wire(socket, query.get('compress') === 'zlib-stream');
    socket.on('error', () => wire.terminate());
    const version = query.get('v');
    if (version !== '10' || (query.get('encoding') ?? 'json') !== 'json') {
      this.#world.violations.record(
        'gateway_rule',
        'gateway',
        `v=${version} encoding=${query.get('encoding')}`,
      );
      return wire.close(CLOSE_CODES.invalidVersion);
    }
    const isStray = pathname !== '/' && !pathname.startsWith(this.#path);
    const connection = new Connection(this.#host(), wire, isStray);
    this.#connections.add(connection);
    socket.on('message', (data) => connection.receive(toBuffer(data)));
    socket.on('close', (code) => {
      connection.ended();
      this.#options.observe?.(`connection closed (${code})`, 1);
      this.#forgetClosed(connection, code);
      this.#connections.delete(connection);
      this.#world.changes.notify();
    });
  }

  /**
   * Deletes the session if the client closed the connection with 1000 or 1001, because a session cannot be resumed
   * after these codes.
   */
  #forgetClosed(connection: Connection, code: number): void {
    const { session, wire } = connection;
    if (session && !wire.closedHere && (code === 1000 || code === 1001)) this.sessions.delete(session.id);
  }

  #host(): ConnectionHost {
    const answersHeartbeats = (): boolean => this.#answersHeartbeats;
    return {
      world: this.#world,
      wireClock: this.#options.wireClock,
      heartbeatIntervalMs: this.#options.heartbeatIntervalMs,
      sessions: this.sessions,
      isTooLarge: (application, shard) =>
        this.#guildsOf(application, shard).length > this.#options.guildsPerShard.max,
      takeSessionStart: (application) => this.#takeSessionStart(application),
      ready: (session) => this.#ready(session),
      resumed: () => this.#options.observe?.('RESUMED', 1),
      handle: (session, frame) => this.#handle(session, frame),
      get answersHeartbeats() {
        return answersHeartbeats();
      },
    };
  }

  #guildsOf(application: Application, shard: Shard): Guild[] {
    return [...this.#world.guilds.values()].filter(
      (guild) => guild.members.has(application.bot.id) && shardCovers(shard, guild.id),
    );
  }

  #takeSessionStart(application: Application): boolean {
    const nowMs = this.#options.wireClock.monotonic();
    for (const session of this.sessions.values()) {
      if (!session.canResumeAt(nowMs)) this.sessions.delete(session.id);
    }
    const { count, sinceMs } = this.#startsOf(application);
    this.#starts.set(application.id, { count: count + 1, sinceMs });
    return count < SESSION_STARTS_PER_DAY;
  }

  #startsOf(application: Application): { count: number; sinceMs: number } {
    const nowMs = this.#options.wireClock.monotonic();
    const known = this.#starts.get(application.id);
    return known && nowMs - known.sinceMs < DAY_MS ? known : { count: 0, sinceMs: nowMs };
  }

  #ready(session: Session): void {
    const { application } = session;
    this.#options.observe?.('READY', 1);
    const guilds = this.#guildsOf(application, session.shard);
    session.dispatch('READY', {
      v: 10,
      user: selfPayload(application.bot),
      guilds: guilds.map((guild) => ({ id: guild.id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.url(),
      shard: session.shard,
      application: { id: application.id, flags: 0, flags_new: '0' },
    });
    if ((session.intents & INTENT_GUILDS) !== 0) {
      const allMembers = (session.intents & INTENT_GUILD_MEMBERS) !== 0;
      for (const guild of guilds) {
        session.dispatch('GUILD_CREATE', guildCreatePayload(guild, application, allMembers));
      }
    }
    this.#world.changes.notify();
  }

  #deliver(dispatch: Dispatch): void {
    let deliveredTo = 0;
    if (this.#losesInteractions && dispatch.event === 'INTERACTION_CREATE') {
      return this.#options.observe?.(dispatch.event, 0);
    }
    for (const session of this.sessions.values()) {
      if (!session.wants(dispatch) || !this.#mayKnow(session.application, dispatch)) continue;
      const data = dispatch.data(session.application);
      session.dispatch(dispatch.event, data);
      deliveredTo++;
      if (this.#duplicates > 0) {
        this.#duplicates--;
        session.dispatch(dispatch.event, data);
      }
    }
    this.#options.observe?.(dispatch.event, deliveredTo);
  }

  #mayKnow(application: Application, { guildId, channel, event }: Dispatch): boolean {
    const guild = guildId === undefined ? undefined : this.#world.guilds.get(guildId);
    if (!guild) return !channel || channel.recipients.some((user) => user.id === application.bot.id);
    const member = guild.members.get(application.bot.id);
    if (!member) return event === 'GUILD_DELETE';
    return !channel || allows(permissionsOf(guild, member, channel), 'VIEW_CHANNEL');
  }

  #handle(session: Session, frame: Extract<ClientFrame, { op: 3 | 4 | 8 }>): void {
    switch (frame.op) {
      case OPCODES.presence:
        return;
      case OPCODES.voiceState:
        if (this.#voiceListener) return this.#voiceListener(session, frame.d);
        return this.#world.violations.record('unsupported', 'gateway op 4', 'Voice is not available');
      case OPCODES.requestMembers:
        return this.#sendMembers(session, frame.d);
    }
  }

  #sendMembers(session: Session, request: MembersRequest): void {
    const guild = this.#world.guilds.get(request.guild_id);
    if (!guild?.members.has(session.application.bot.id)) return;
    const wanted = request.user_ids === undefined ? undefined : [request.user_ids].flat();
    if (!wanted && !request.query && (session.intents & INTENT_GUILD_MEMBERS) === 0) {
      return this.#world.violations.record(
        'gateway_rule',
        'gateway op 8',
        'All members without GUILD_MEMBERS',
      );
    }
    const found = [...guild.members.values()].filter((member) =>
      wanted ? wanted.includes(member.user.id) : member.user.username.startsWith(request.query ?? ''),
    );
    const chunk: Payload = {
      guild_id: guild.id,
      members: found.slice(0, request.limit || 1000).map(memberPayload),
      chunk_index: 0,
      chunk_count: 1,
      not_found: (wanted ?? []).filter((id) => !guild.members.has(id)),
      ...(request.nonce === undefined ? {} : { nonce: request.nonce }),
    };
    session.dispatch('GUILD_MEMBERS_CHUNK', chunk);
  }
}

function toBuffer(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
