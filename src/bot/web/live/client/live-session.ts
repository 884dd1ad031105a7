import { type ReadonlySignal, computed, effect, signal, untracked } from '@preact/signals';
import type { Hello, State, ToPage } from '../live-wire.ts';
import { Camera } from './camera/camera.ts';
import { FramePump } from './camera/frame-pump.ts';
import { LiveLink } from './link/live-link.ts';
import { AlteredPicture } from './picture/altered-picture.ts';

/** The state of the page, and the actions on it. */
export class LiveSession {
  readonly camera: Camera = new Camera();
  readonly picture: AlteredPicture = new AlteredPicture();
  readonly link: LiveLink;
  readonly #hello = signal<Hello | null>(null);
  readonly #state = signal<State | null>(null);
  readonly #isWarned = signal(false);
  readonly #problem = signal<string | null>(null);
  readonly #outputUrl = signal<string | null>(null);
  readonly #perSecond = signal<number | null>(null);
  /** Whether the first altered picture has arrived. */
  readonly #isShowing = signal(false);
  readonly #phase = computed(() => this.#state.value?.phase ?? null);
  #pump: FramePump | null = null;
  #received = 0;
  #countedAtMs: number | null = null;

  constructor(key: string | null) {
    this.link = new LiveLink(key, {
      onMessage: (message) => this.#hear(message),
      onPicture: (jpeg) => this.#show(jpeg),
    });
    effect(() => this.#openWhileLive());
    effect(() => this.#pumpWhileLive());
    effect(() => this.#closeAtTheEnd());
  }

  get hello(): ReadonlySignal<Hello | null> {
    return this.#hello;
  }

  get state(): ReadonlySignal<State | null> {
    return this.#state;
  }

  get phase(): ReadonlySignal<State['phase'] | null> {
    return this.#phase;
  }

  /** Whether the session ends within a minute. */
  get isWarned(): ReadonlySignal<boolean> {
    return this.#isWarned;
  }

  get problem(): ReadonlySignal<string | null> {
    return this.#problem;
  }

  get outputUrl(): ReadonlySignal<string | null> {
    return this.#outputUrl;
  }

  get isShowing(): ReadonlySignal<boolean> {
    return this.#isShowing;
  }

  /** The number of pictures that came back in the last second; null if they have not been counted yet. */
  get perSecond(): ReadonlySignal<number | null> {
    return this.#perSecond;
  }

  agree(): void {
    const hello = this.#hello.value;
    if (hello) this.link.say({ type: 'agree', version: hello.consent.version });
    this.openCamera();
  }

  openCamera(id?: string): void {
    const hello = this.#hello.value;
    this.#problem.value = null;
    if (hello) void this.camera.open(hello.frames, id);
  }

  start(): void {
    this.#problem.value = null;
    this.link.say({ type: 'start' });
  }

  stop(): void {
    this.link.say({ type: 'stop' });
  }

  share(): void {
    this.link.say({ type: 'share' });
  }

  unshare(): void {
    this.link.say({ type: 'unshare' });
  }

  /** Turns the camera off and closes the connection when the member leaves the page. */
  leave(): void {
    this.#pump?.[Symbol.dispose]();
    this.camera.close();
    this.link.leave();
  }

  #hear(message: ToPage): void {
    switch (message.type) {
      case 'hello':
        this.#hello.value = message;
        return;
      case 'state':
        this.#state.value = message;
        return this.#beat();
      case 'warning':
        this.#isWarned.value = true;
        return;
      case 'problem':
        this.#problem.value = message.text;
        return;
      case 'output':
        this.#outputUrl.value = message.url;
        return;
      case 'taken':
        return this.#pump?.answered();
      default:
        return message satisfies never;
    }
  }

  #show(jpeg: ArrayBuffer): void {
    this.link.say({ type: 'taken' });
    this.#received += 1;
    if (this.#phase.value !== 'live') return;
    this.#isShowing.value = true;
    if (!document.hidden) this.picture.show(jpeg);
  }

  /** Called for each `state` message, which arrives once a second while the session is live. */
  #beat(): void {
    this.#pump?.pump();
    if (this.#phase.value !== 'live') return;
    const nowMs = performance.now();
    const seconds = this.#countedAtMs === null ? null : (nowMs - this.#countedAtMs) / 1000;
    if (seconds !== null && seconds < 0.9) return;
    if (seconds !== null) this.#perSecond.value = this.#received / seconds;
    this.#received = 0;
    this.#countedAtMs = nowMs;
  }

  /**
   * Opens the camera if the session is live on this page. Otherwise a session that this page takes over from another
   * page would end after a few seconds without pictures.
   */
  #openWhileLive(): void {
    const isLive = this.#phase.value === 'live' && this.link.state.value.kind === 'open';
    if (!isLive) return;
    untracked(() => {
      if (this.camera.state.value.kind === 'off') this.openCamera();
    });
  }

  #pumpWhileLive(): () => void {
    const [hello, link, camera] = [this.#hello.value, this.link.state.value, this.camera.state.value];
    const isLive = this.#phase.value === 'live' && hello && link.kind === 'open' && camera.kind === 'on';
    if (isLive) this.#pump = new FramePump(camera, link.socket, hello.frames);
    return () => {
      this.#pump?.[Symbol.dispose]();
      this.#pump = null;
    };
  }

  /** Turns the camera off and clears the picture when the session has ended for any reason. */
  #closeAtTheEnd(): void {
    const { kind } = this.link.state.value;
    const isEnd = this.#phase.value === 'ended' || kind === 'refused' || kind === 'replaced';
    if (!isEnd) return;
    untracked(() => this.camera.close());
    this.picture.clear();
  }
}
