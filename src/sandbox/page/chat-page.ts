import type { FastifyInstance } from 'fastify';
import type { BuiltPage } from '../../base/pages/built-page.ts';
import type { Clock } from '../../base/clock.ts';
import type { Application } from '../chat/user.ts';
import type { VoiceMove, World } from '../chat/world.ts';
import type { Faults } from '../faults.ts';
import type { Upgrade } from '../gateway/gateway-server.ts';
import type { Exchange } from '../rest-exchange.ts';
import { FaultButtons } from './fault-buttons.ts';
import type { ViewSource } from './guild-view.ts';
import { LiveServer } from './live-server.ts';
import { PageGuard } from './page-guard.ts';
import type { PageServerOptions } from './page-server.ts';
import { openPage, servePage } from './serve-page.ts';
import { Samples } from './samples.ts';
import { Uploads } from './uploads.ts';
import type { WireLog } from './wire-log.ts';

/** Options for the chat page. */
export interface ChatPageOptions {
  /** A folder of sample media for the gallery. Default: none. */
  readonly samplesFolder?: string;
  /** The address at which the page is also served to a trusted network. Default: none. */
  readonly open?: PageServerOptions;
}

interface ChatPageParts {
  readonly world: World;
  readonly application: Application;
  readonly isOnline: (application: Application) => boolean;
  readonly faults: Faults;
  readonly wireLog: WireLog;
  /** The clock that runs in real time. */
  readonly clock: Clock;
  /** The origin of the sandbox itself, such as `http://127.0.0.1:4000`. It is known once the sandbox is listening. */
  readonly origin: () => string;
  readonly options: ChatPageOptions;
}

/**
 * Everything that only the chat page needs: its files, session, socket, gallery, uploads, wire panel and fault buttons.
 */
export class ChatPage implements AsyncDisposable {
  /** The guard for the page's loopback address. */
  readonly guard: PageGuard;
  readonly wireLog: WireLog;
  readonly faultButtons: FaultButtons;
  readonly samples: Samples;
  readonly uploads: Uploads;
  readonly #live: LiveServer;
  readonly #built: BuiltPage | undefined;
  readonly #world: World;

  private constructor(parts: ChatPageParts, samples: Samples, built: BuiltPage | undefined) {
    const { wireLog, clock } = parts;
    this.guard = new PageGuard({ origin: parts.origin, isOpen: false });
    this.wireLog = wireLog;
    this.faultButtons = new FaultButtons(parts);
    this.samples = samples;
    this.uploads = new Uploads(clock);
    const faults = (): FaultButtons['views'] => this.faultButtons.views;
    this.#live = new LiveServer({ source: parts, wireLog, faults, clock });
    this.#built = built;
    this.#world = parts.world;
    parts.world.onVoiceMove((move) => this.#noteMove(move));
    parts.world.watch((touched) => {
      if (touched.is === 'interaction') wireLog.beginUse(touched.interaction.id);
    });
  }

  static async create(parts: ChatPageParts): Promise<ChatPage> {
    return new ChatPage(parts, await Samples.read(parts.options.samplesFolder), await openPage());
  }

  /** The data from which the page's views are made. */
  get source(): ViewSource {
    return this.#live.source;
  }

  /** Returns a handler for the WebSockets of pages that the guard admits. */
  upgrade(guard: PageGuard): Upgrade {
    return (...request) => this.#live.upgrade(guard, ...request);
  }

  /** Adds the page itself, below `/chat/`, at the guard's address. */
  register(app: FastifyInstance, guard: PageGuard): Promise<void> {
    return servePage(app, { guard, page: this.#built });
  }

  /** Shows one of the bot's REST requests in the wire panel. */
  noteExchange({ method, path, route, status, durationMs, files, injected }: Exchange): void {
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.wireLog.note({
      source: 'rest',
      what: `${method} ${route}`,
      status,
      ms: durationMs,
      useId: this.#useAt(path),
      detail: {
        ...(files.length > 0 ? { files: files.length, bytes } : {}),
        ...(injected ? { injected } : {}),
      },
    });
  }

  /**
   * Returns the id of the use that a REST request belongs to, found by the interaction token in the path, or undefined
   * if the path has none.
   */
  #useAt(path: string): string | undefined {
    const [, kind, , token = ''] = path.split('/', 4);
    if (kind !== 'interactions' && kind !== 'webhooks') return undefined;
    return this.#world.interactionsByToken.get(token)?.id;
  }

  #noteMove({ state, from, to }: VoiceMove): void {
    const { bot, username } = state.member.user;
    const what = to === null ? 'leaves a call' : from === null ? 'joins a call' : 'changes calls';
    const detail = { user: username, channel: to ?? from ?? '', kind: bot ? 'bot' : 'member' };
    this.wireLog.note({ source: 'voice', what, detail });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#live[Symbol.asyncDispose]();
  }
}
