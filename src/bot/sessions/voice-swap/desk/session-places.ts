import type { EndpointEvent, VoiceEndpoint, VoiceMember } from '../voice-endpoint.ts';

/** Receives the events in a session's channels. */
interface PlacesListener {
  /** A member left the channel in which the bot listens. */
  left(userId: string): void;
  /** The server muted or unmuted a member in the channel in which the bot listens. */
  silenced(userId: string, isSilenced: boolean): void;
  /** No member is left who could hear what the bot plays. */
  unheard(): void;
  /** A connection broke. */
  broke(): void;
  /** All connections are restored. */
  restored(): void;
  ended(reason: Extract<EndpointEvent, { kind: 'ended' }>['reason']): void;
}

/**
 * A session's channels. The session listens in one channel, the booth. It plays there as well, or in another channel,
 * the stage, where a second bot user plays, so that the audience does not hear the members' own voices.
 */
export class SessionPlaces implements AsyncDisposable {
  readonly booth: VoiceEndpoint;
  readonly stage: VoiceEndpoint | null;
  readonly #broken = new Set<VoiceEndpoint>();
  #listening: readonly Disposable[] = [];

  constructor(booth: VoiceEndpoint, stage: VoiceEndpoint | null) {
    this.booth = booth;
    this.stage = stage;
  }

  get all(): readonly VoiceEndpoint[] {
    return this.stage ? [this.booth, this.stage] : [this.booth];
  }

  get speaking(): VoiceEndpoint {
    return this.stage ?? this.booth;
  }

  /** Whether any member can hear what the bot plays. If the bot plays in the booth, the participants themselves can. */
  get isHeard(): boolean {
    return this.stage === null || this.stage.members.some(isHuman);
  }

  get isEmpty(): boolean {
    return !this.booth.members.some(isHuman);
  }

  /** Returns the member if they are in the booth. */
  memberOf(userId: string): VoiceMember | undefined {
    return this.booth.members.find((member) => member.userId === userId && isHuman(member));
  }

  listen(listener: PlacesListener): void {
    this.#listening = this.all.map((place) =>
      place.onEvent((event) => this.#happened(place, event, listener)),
    );
  }

  /** Leaves all channels, without notifying the listener. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const one of this.#listening) one[Symbol.dispose]();
    await Promise.all(this.all.map((place) => place[Symbol.asyncDispose]()));
  }

  #happened(place: VoiceEndpoint, event: EndpointEvent, listener: PlacesListener): void {
    switch (event.kind) {
      case 'left':
        if (place === this.booth) listener.left(event.member.userId);
        if (!this.isHeard) listener.unheard();
        return;
      case 'changed':
        if (place === this.booth) listener.silenced(event.member.userId, event.member.isSilenced);
        return;
      case 'joined':
        return;
      case 'interrupted':
        this.#broken.add(place);
        return listener.broke();
      case 'restored':
        if (this.#broken.delete(place) && this.#broken.size === 0) listener.restored();
        return;
      case 'ended':
        return listener.ended(event.reason);
      default:
        return event satisfies never;
    }
  }
}

function isHuman({ isBot }: VoiceMember): boolean {
  return !isBot;
}
