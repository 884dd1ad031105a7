import type { Voice } from '../../../../src/media-api/voices.ts';
import { onTestFinished } from 'vitest';
import { Access } from '../../../../src/bot/people/access/access.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { micros } from '../../../../src/base/money.ts';
import { ConsentBook } from '../../../../src/bot/sessions/consent-book.ts';
import { voiceConsentText } from '../../../../src/bot/sessions/voice-swap/desk/voice-consent-text.ts';
import { VoiceConversion } from '../../../../src/bot/sessions/voice-swap/desk/voice-conversion.ts';
import { VOICE_LIMITS } from '../../../../src/bot/sessions/voice-swap/desk/voice-limits.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import type { Database } from '../../../../db/database.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { MemoryConnector } from './memory-channel.ts';
import { MemoryLines } from './memory-lines.ts';
import type { CallOrigin } from '../../../../src/bot/jobs/call-origin.ts';
import type { VoiceLine } from '../../../../src/bot/sessions/voice-line.ts';
import type { PanelPlace, VoicePanels } from '../../../../src/bot/sessions/voice-swap/desk/voice-panels.ts';
import type { VoiceSound } from '../../../../src/bot/sessions/voice-swap/desk/voice-sound.ts';
import type { VoiceView } from '../../../../src/bot/sessions/voice-swap/desk/voice-view.ts';
import type { VoiceWhereabouts } from '../../../../src/bot/sessions/voice-swap/desk/voice-whereabouts.ts';

export const ADA = '11';
export const BEN = '12';
export const CLEO = '13';
export const DORA = '14';
export const HALL = '50';
export const STAGE = '60';
const NOTICE = [new Uint8Array([1]), new Uint8Array([2]), new Uint8Array([3])];

/** A `VoiceSound` that records which members it listens to, and over which line. */
export class MemorySound implements VoiceSound {
  readonly lines: Map<string, VoiceLine | null> = new Map();
  readonly everHeard: Set<string> = new Set();
  #listener: (userId: string) => void = () => undefined;

  connect(userId: string, line: VoiceLine | null): Promise<void> {
    this.lines.set(userId, line);
    this.everHeard.add(userId);
    return Promise.resolve();
  }

  disconnect(userId: string): void {
    this.lines.delete(userId);
  }

  onSpeech(listener: (userId: string) => void): Disposable {
    this.#listener = listener;
    return { [Symbol.dispose]: () => undefined };
  }

  /** Has a member speak, which is noticed only if the member is listened to. */
  speaks(userId: string): void {
    if (this.lines.has(userId)) this.#listener(userId);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.lines.clear();
    return Promise.resolve();
  }
}

/** Records messages, and the time of each edit. */
export class MemoryPanels implements VoicePanels {
  readonly messages: Map<string, VoiceView> = new Map();
  readonly edits: number[] = [];
  readonly warnings: VoiceView[] = [];
  readonly closedTo: Set<string> = new Set();
  readonly #clock: FakeClock;
  #count = 0;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  /** The newest message. */
  get shown(): VoiceView | undefined {
    return [...this.messages.values()].at(-1);
  }

  post(channelId: string, view: VoiceView): Promise<PanelPlace | null> {
    if (this.closedTo.has(channelId)) return Promise.resolve(null);
    const messageId = `${700 + this.#count++}`;
    this.messages.set(messageId, view);
    return Promise.resolve({ channelId, messageId });
  }

  edit({ messageId }: PanelPlace, view: VoiceView): Promise<boolean> {
    if (!this.messages.has(messageId)) return Promise.resolve(false);
    this.edits.push(this.#clock.monotonic());
    this.messages.set(messageId, view);
    return Promise.resolve(true);
  }

  remove({ messageId }: PanelPlace): Promise<void> {
    this.messages.delete(messageId);
    return Promise.resolve();
  }

  warn(_channelId: string, view: VoiceView): Promise<void> {
    this.warnings.push(view);
    return Promise.resolve();
  }
}

export interface DeskOptions {
  readonly mayRenew?: boolean;
  readonly hasStage?: boolean;
  /** Returns where a voice channel is. Default: every channel is a plain channel without a category. */
  readonly placeOf?: (channelId: string) => ReturnType<VoiceWhereabouts['placeOf']>;
}

export interface Desk {
  readonly clock: FakeClock;
  readonly db: Database;
  readonly connector: MemoryConnector;
  /** The connector of the second bot user; Dora listens in its channel. */
  readonly stageConnector: MemoryConnector;
  readonly lines: MemoryLines;
  readonly panels: MemoryPanels;
  /** The statuses that the voice channel had, in order. */
  readonly statuses: readonly (string | null)[];
  readonly access: Access;
  readonly consents: ConsentBook;
  readonly settings: { hasStatus: boolean; mayRenew: boolean };
  /** The voice channel that each member is in. */
  readonly places: Map<string, string>;
  readonly desk: VoiceConversion;
  /** Creates the conversion again, as a new process does after a restart. */
  readonly make: () => VoiceConversion;
  /** Returns the sound in the channel that was joined last. */
  readonly sound: () => MemorySound;
}

/**
 * Creates a desk without Discord and without a service; its books and rules are real. Ada, Ben and Cleo are
 * in the hall.
 */
export async function useDesk(options: DeskOptions = {}): Promise<Desk> {
  const clock = new FakeClock();
  const db = await useDatabase();
  const connector = new MemoryConnector([ADA, BEN, CLEO]);
  const stageConnector = new MemoryConnector([DORA]);
  const lines = new MemoryLines(clock);
  const panels = new MemoryPanels(clock);
  const sounds: MemorySound[] = [];
  const statuses: (string | null)[] = [];
  const access = await Access.open({ db, clock });
  const consents = new ConsentBook({ db, clock, text: voiceConsentText('media.example') });
  const settings = { hasStatus: true, mayRenew: options.mayRenew ?? false };
  const places = new Map([ADA, BEN, CLEO].map((userId) => [userId, HALL]));
  const make = (): VoiceConversion =>
    new VoiceConversion({
      db,
      clock,
      log: silentLogger,
      connector,
      stageConnector: options.hasStage === true ? stageConnector : null,
      lines,
      panels,
      consents,
      rules: access,
      limits: VOICE_LIMITS,
      notice: NOTICE,
      voices: { list: [nova, oak] },
      openSound: () => {
        const sound = new MemorySound();
        sounds.push(sound);
        return sound;
      },
      showStatus: (_channelId, text) => {
        if (settings.hasStatus) statuses.push(text);
        return Promise.resolve(settings.hasStatus);
      },
      budget: () => Promise.resolve(BUDGET),
      mayRenew: () => Promise.resolve(settings.mayRenew),
      whereabouts: {
        isKnown: true,
        isOurs: () => true,
        channelOf: (_guildId, userId) => places.get(userId) ?? null,
        placeOf: (_guildId, channelId) =>
          options.placeOf ? options.placeOf(channelId) : { parentChannelIds: [], isAgeRestricted: false },
      },
    });
  const desk = make();
  onTestFinished(async () => {
    const ending = desk[Symbol.asyncDispose]();
    await clock.advance(20_000);
    await ending;
  });
  return {
    clock,
    db,
    connector,
    stageConnector,
    lines,
    panels,
    statuses,
    access,
    consents,
    settings,
    places,
    desk,
    make,
    sound: () => {
      const last = sounds.at(-1);
      if (!last) throw new Error('No channel was joined');
      return last;
    },
  };
}

export const nova: Voice = { id: 'nova', name: 'Nova', description: '', previewUrl: null };
export const oak: Voice = { id: 'oak', name: 'Oak', description: '', previewUrl: null };
const BUDGET = {
  limit: micros(10_000_000),
  left: micros(9_000_000),
  period: 'month',
  resetsAtMs: null,
} as const;

export function by(userId: string, changes: Partial<CallOrigin> = {}): CallOrigin {
  return anOrigin({ guildId: '3', channelId: '4', userId, ...changes });
}

/** Creates a desk with a session that Ada has started for ten minutes. She has given her consent and is listened to. */
export async function useStarted(
  options: DeskOptions & { readonly minutes?: number } = {},
): Promise<Desk & { readonly sessionId: string }> {
  const place = await useDesk(options);
  const { desk, clock } = place;
  const asked = await desk.start(by(ADA), { voiceId: nova.id, minutes: options.minutes ?? 10 });
  if (asked.kind !== 'ask') throw new Error('Ada was not asked');
  const { sessionId } = asked.view;
  const agreeing = desk.agree(by(ADA), sessionId);
  await clock.advance(500);
  await agreeing;
  return { ...place, sessionId };
}
