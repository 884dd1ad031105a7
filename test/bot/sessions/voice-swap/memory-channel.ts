import type {
  EndpointCounts,
  EndpointEvent,
  VoiceEndpoint,
  VoiceMember,
} from '../../../../src/bot/sessions/voice-swap/voice-endpoint.ts';
import type { SpeechPacket } from '../../../../src/bot/sessions/voice-swap/speech-packet.ts';
import type { VoiceConnector, VoicePlace } from '../../../../src/bot/sessions/voice-swap/voice-connector.ts';

const COUNTS: EndpointCounts = { undecryptable: 0, stillEncrypted: 0, foreign: 0, recoveries: 0, rejoins: 0 };

/** A voice channel without sound. It records its members, the text that was spoken, and the bot's state. */
export class MemoryEndpoint implements VoiceEndpoint {
  readonly guildId: string;
  readonly channelId: string;
  readonly counts: EndpointCounts = COUNTS;
  readonly spoken: Uint8Array[] = [];
  hushes = 0;
  isLeft = false;
  members: VoiceMember[] = [];
  readonly #listeners = new Set<(event: EndpointEvent) => void>();

  constructor({ guildId, channelId }: VoicePlace) {
    this.guildId = guildId;
    this.channelId = channelId;
  }

  hear(_userId: string, _listener: (packet: SpeechPacket) => void): Disposable {
    return { [Symbol.dispose]: () => undefined };
  }

  speak(opus: Uint8Array): boolean {
    this.spoken.push(opus);
    return true;
  }

  hush(): void {
    this.hushes += 1;
  }

  onEvent(listener: (event: EndpointEvent) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  tell(event: EndpointEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  enters(userId: string, changes: Partial<VoiceMember> = {}): void {
    const member = { userId, isBot: false, isSilenced: false, ...changes };
    this.members = [...this.members, member];
    this.tell({ kind: 'joined', member });
  }

  leaves(userId: string): void {
    const member = this.members.find((one) => one.userId === userId);
    this.members = this.members.filter((one) => one !== member);
    if (member) this.tell({ kind: 'left', member });
  }

  silences(userId: string, isSilenced: boolean): void {
    this.members = this.members.map((one) => (one.userId === userId ? { ...one, isSilenced } : one));
    const member = this.members.find((one) => one.userId === userId);
    if (member) this.tell({ kind: 'changed', member });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.isLeft = true;
    this.tell({ kind: 'ended', reason: 'closed' });
    return Promise.resolve();
  }
}

/** Joins channels that exist only in memory, with these members in them. */
export class MemoryConnector implements VoiceConnector {
  readonly userId = '900';
  readonly endpoints: MemoryEndpoint[] = [];
  readonly #present: readonly string[];
  /** If set, attempts to join throw this error. */
  refusal: Error | null = null;

  constructor(present: readonly string[]) {
    this.#present = present;
  }

  /** The channel that was joined last. */
  get channel(): MemoryEndpoint {
    const last = this.endpoints.at(-1);
    if (!last) throw new Error('No channel was joined');
    return last;
  }

  join(place: VoicePlace): Promise<VoiceEndpoint> {
    if (this.refusal) return Promise.reject(this.refusal);
    const endpoint = new MemoryEndpoint(place);
    for (const userId of this.#present) endpoint.enters(userId);
    this.endpoints.push(endpoint);
    return Promise.resolve(endpoint);
  }
}
