import type { EndpointEvent, VoiceEndpoint, VoiceMember } from '../voice-endpoint.ts';

/** What happens at the places of a session, as far as it counts. */
interface PlacesListener {
  /** Somebody who may be listened to left, or was muted or no longer. */
  left(userId: string): void;
  silenced(userId: string, isSilenced: boolean): void;
  /** Nobody is left who could hear what is spoken. */
  unheard(): void;
  /** A connection broke, or all of them are there again. */
  broke(): void;
  restored(): void;
  ended(reason: Extract<EndpointEvent, { kind: 'ended' }>['reason']): void;
}

/**
 * Where a session listens, and where it speaks: the same voice channel, or a booth, and a stage where a second bot user
 * speaks so that nobody hears the speakers' own voices.
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

  /** In one channel speakers hear themselves. */
  get isHeard(): boolean {
    return this.stage === null || this.stage.members.some(isHuman);
  }

  get isEmpty(): boolean {
    return !this.booth.members.some(isHuman);
  }

  /** Somebody who can be listened to. */
  memberOf(userId: string): VoiceMember | undefined {
    return this.booth.members.find((member) => member.userId === userId && isHuman(member));
  }

  listen(listener: PlacesListener): void {
    this.#listening = this.all.map((place) =>
      place.onEvent((event) => this.#happened(place, event, listener)),
    );
  }

  /** Leaves all of them; nothing is told of that. */
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
