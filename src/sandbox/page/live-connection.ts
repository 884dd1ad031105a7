import type { WebSocket } from 'ws';
import { z } from 'zod';
import type { Clock, Timer } from '../../base/clock.ts';
import { readJson } from '../../base/read-json.ts';
import type { Interaction } from '../chat/interaction.ts';
import type { Message } from '../chat/message.ts';
import { SNOWFLAKE } from '../chat/snowflake.ts';
import type { User } from '../chat/user.ts';
import type { Touched } from '../chat/world.ts';
import type { LoggedPacket } from '../voice/packet-log.ts';
import { fileLinksAt } from './file-links.ts';
import { eventsFor } from './events-for.ts';
import { readMicrophone, writeHeard } from './frames.ts';
import { type ViewSource, stateView } from './guild-view.ts';
import { Microphone } from './microphone.ts';
import { Outbox } from './outbox.ts';
import type { PageFault } from './wire-views.ts';
import type { PageEvent, PageRequest } from './page-wire.ts';
import { peopleOf } from './people.ts';
import { openUsesOf } from './use-for.ts';
import type { WireLog } from './wire-log.ts';

/** The objects that the connections of all pages share. */
export interface LiveParts {
  readonly source: ViewSource;
  readonly wireLog: WireLog;
  readonly faults: () => readonly PageFault[];
  /** The clock that runs in real time. */
  readonly clock: Clock;
}

const FLUSH_MS = 16;
/** While this many bytes are waiting in the socket, no more are sent. The newest state is sent later instead. */
const BUFFERED_BYTES_MAX = 256 * 1024;
/**
 * A page that leaves this many bytes unread while it keeps sending requests is disconnected. It then reconnects and
 * loads everything again.
 */
const UNREAD_BYTES_MAX = 16 * 1024 * 1024;
/** The maximum number of audio packets waiting to be sent to a page: one second of speech from two speakers. */
const HEARD_PACKETS_MAX = 100;

const request: z.ZodType<PageRequest> = z.discriminatedUnion('t', [
  z.strictObject({
    t: z.literal('act'),
    as: z.string().regex(SNOWFLAKE).nullable(),
  }),
  z.strictObject({ t: z.literal('hear'), which: z.enum(['none', 'original', 'converted', 'all']) }),
  z.strictObject({ t: z.literal('watch_wire'), on: z.boolean() }),
]);

/**
 * One page's socket: the user that it acts as, the events to send, and the sound that the member sends and receives.
 */
export class LiveConnection {
  readonly #parts: LiveParts;
  readonly #socket: WebSocket;
  readonly #origin: string;
  readonly #outbox = new Outbox<Message, Interaction>();
  readonly #microphone: Microphone;
  readonly #heard: Buffer[] = [];
  /** The ids of the guilds that the page shows. */
  readonly #shown = new Set<string>();
  #viewer: User | undefined;
  #hears: Extract<PageRequest, { t: 'hear' }>['which'] = 'none';
  /** The id of the last wire entry that was sent to the page; undefined while the page does not watch the wire. */
  #wireId: number | undefined;
  #timer: Timer | undefined;

  /** `origin` is the origin of the page. */
  constructor(parts: LiveParts, socket: WebSocket, origin: string) {
    this.#parts = parts;
    this.#socket = socket;
    this.#origin = origin;
    this.#microphone = new Microphone(parts.source.world, parts.clock);
  }

  /** Handles a change that the page may have to show. */
  touched(touched: Touched): void {
    if (touched.is === 'message') {
      const isNew = touched.message.version === 1 && touched.message.guildId === null;
      if (isNew) this.#outbox.directMessages();
      this.#outbox.message(touched.message);
    }
    if (touched.is === 'interaction') this.#outbox.use(touched.interaction);
    if (touched.is === 'guild') this.#outbox.guild(touched.guildId);
    if (touched.is === 'typing') this.#outbox.typing(touched.channelId, touched.userId);
    this.#schedule();
  }

  speaking(channelId: string, userId: string): void {
    this.#outbox.speaking(channelId, userId);
    this.#schedule();
  }

  /** Handles a change in the bot's online state. */
  botChanged(): void {
    this.#outbox.bot();
    for (const id of this.#parts.source.world.guilds.keys()) this.#outbox.guild(id);
    this.#schedule();
  }

  faultsChanged(): void {
    this.#outbox.faults();
    this.#schedule();
  }

  wireChanged(): void {
    if (this.#wireId !== undefined) this.#schedule();
  }

  /** Handles an audio packet for a member. If the page is slow, the oldest packets are dropped. */
  heard(listenerId: string, speakerId: string, packet: LoggedPacket): void {
    if (listenerId !== this.#viewer?.id || this.#hears === 'none' || !packet.opus) return;
    const bot = this.#parts.source.world.users.get(speakerId)?.bot ?? false;
    if (this.#hears !== 'all' && (this.#hears === 'converted') !== bot) return;
    this.#heard.push(writeHeard({ id: speakerId, bot }, packet, packet.opus));
    if (this.#heard.length > HEARD_PACKETS_MAX) this.#heard.shift();
    if (this.#isReady()) this.#sendHeard();
    else this.#schedule();
  }

  /** Handles a message from the page. */
  receive(data: Buffer, isBinary: boolean): void {
    if (isBinary) {
      const packet = readMicrophone(data);
      if (packet && this.#viewer) this.#microphone.take(this.#viewer, packet);
      return;
    }
    if (this.#socket.bufferedAmount > UNREAD_BYTES_MAX) return this.#socket.terminate();
    const parsed = request.safeParse(readJson(data.toString('utf8')));
    if (!parsed.success) return this.#send({ t: 'error', error: z.prettifyError(parsed.error) });
    this.#obey(parsed.data);
  }

  ended(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#outbox.clear();
    this.#viewer = undefined;
  }

  #obey(asked: PageRequest): void {
    switch (asked.t) {
      case 'act':
        return this.#act(asked.as);
      case 'hear':
        this.#hears = asked.which;
        this.#heard.length = 0;
        return;
      case 'watch_wire':
        this.#wireId = asked.on ? 0 : undefined;
        return this.#schedule();
    }
  }

  #act(userId: string | null): void {
    const { source, faults } = this.#parts;
    const viewer = userId === null ? peopleOf(source.world)[0] : source.world.users.get(userId);
    if (!viewer || viewer.bot)
      return this.#send({ t: 'error', error: 'There is nobody with this id to act as' });
    this.#viewer = viewer;
    this.#outbox.clear();
    this.#heard.length = 0;
    const state = stateView(source, viewer);
    this.#shown.clear();
    for (const { id } of state.guilds) this.#shown.add(id);
    this.#send({
      t: 'state',
      state,
      uses: openUsesOf(source.world, viewer),
      faults: faults(),
    });
  }

  #schedule(delayMs = FLUSH_MS): void {
    if (!this.#viewer || this.#timer) return;
    this.#timer = this.#parts.clock.after(
      delayMs,
      () => {
        this.#timer = undefined;
        this.#flush();
      },
      { background: true },
    );
  }

  #flush(): void {
    const viewer = this.#viewer;
    if (!viewer || this.#socket.readyState !== this.#socket.OPEN) return;
    if (!this.#isReady()) return this.#schedule(4 * FLUSH_MS);
    for (const event of this.#eventsFor(viewer)) this.#send(event);
    this.#sendHeard();
  }

  #eventsFor(viewer: User): readonly PageEvent[] {
    const { source, faults } = this.#parts;
    const waiting = this.#outbox.take();
    return [
      ...eventsFor(source, viewer, { waiting, shown: this.#shown }),
      ...(waiting.faults ? [{ t: 'faults', faults: faults() } as const] : []),
      ...this.#wireEvents(),
    ];
  }

  #wireEvents(): readonly PageEvent[] {
    if (this.#wireId === undefined) return [];
    const { entries, missed } = this.#parts.wireLog.after(this.#wireId);
    this.#wireId = entries.at(-1)?.id ?? this.#wireId;
    return entries.length === 0 ? [] : [{ t: 'wire', entries, missed }];
  }

  #sendHeard(): void {
    for (const packet of this.#heard) this.#socket.send(packet);
    this.#heard.length = 0;
  }

  #isReady(): boolean {
    return this.#socket.readyState === this.#socket.OPEN && this.#socket.bufferedAmount < BUFFERED_BYTES_MAX;
  }

  #send(event: PageEvent): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(fileLinksAt(this.#origin, this.#parts.source.world.cdnBase, JSON.stringify(event)));
  }
}
