import type { Database } from '../../../../db/database.ts';
import { Disposer } from '../../../base/disposer.ts';
import { equalSecret } from '../../../base/signing.ts';
import { randomId } from '../../../base/ids.ts';
import type { Refusal } from '../../jobs/intake/refusals.ts';
import type { PaidSessions } from '../paid-sessions.ts';
import { Admission, type AdmissionOptions } from './admission.ts';
import type { Audience } from './session/audience.ts';
import type { ChosenFace } from './upload-face.ts';
import type { LiveFrameCodec } from './live-frame-codec.ts';
import { LiveSwapError } from './live-swap-error.ts';
import { FACE_BYTES_MAX, type LiveSwapLimits, MINUTES_MAX, PROMPT_LENGTH_MAX } from './live-swap-limits.ts';
import { type OpenerOptions, type Opening, openerOf } from './opening.ts';
import { SessionKeys } from './session-keys.ts';
import { SwapSession } from './session/swap-session.ts';
import type { SwapSessionOptions } from './session/swap-session-options.ts';
import type { CallOrigin } from '../../jobs/call-origin.ts';
import type { FaceStore } from '../../people/members/face-store.ts';
import type { RequestedFace, LiveSwapRequest } from './live-swap-request.ts';
import type { LiveLink, LiveSwapView } from './live-swap-view.ts';
import type { LivePage, LiveSeat } from './live-page.ts';
import type { LiveConsentText } from './live-consent-text.ts';
import type { LiveViewer, LiveWatch } from './live-viewer.ts';

interface LiveSwapOptions
  extends Pick<SwapSessionOptions, 'consents' | 'clock' | 'log' | 'limits'>, OpenerOptions, AdmissionOptions {
  readonly db: Database;
  readonly paid: Pick<PaidSessions, 'opener' | 'costOf'>;
  readonly faces: Pick<FaceStore, 'find'>;
  /** `undefined` if the operator has not configured how pictures are sent to the service. */
  readonly codec: LiveFrameCodec | undefined;
  /** The host of the service, such as `media.example.org`. */
  readonly service: string;
  /** Returns the public URL for a path on the bot's web server; `undefined` if members cannot reach the web server. */
  readonly publicUrl: ((path: string) => string) | undefined;
}

/** The path of the page, below the web server's prefix. */
export const LIVE_PATH = '/live/';

/** Starts, checks and ends this process's live swaps, and connects their pages. Throws `LiveSwapError`. */
export class LiveSwap implements AsyncDisposable {
  readonly #options: LiveSwapOptions;
  readonly #admission: Admission;
  readonly #keys = new SessionKeys();
  /** The sessions that have not ended, by member id. Each member has at most one. */
  readonly #sessions = new Map<string, SwapSession>();
  /** All sessions, including those that have ended and wait for their charge. */
  readonly #all = new Set<SwapSession>();
  readonly #owned = new Disposer();
  #isStopping = false;

  constructor(options: LiveSwapOptions) {
    this.#options = options;
    this.#admission = new Admission(options);
    this.#owned.use(options.db.changes.listen('removals', () => void this.#recheck()));
    this.#owned.defer(() => this.#endAll());
  }

  get consent(): LiveConsentText {
    return this.#options.consents.text;
  }

  /** The host of the service, such as `media.example.org`. */
  get service(): string {
    return this.#options.service;
  }

  get limits(): Pick<LiveSwapLimits, 'silentMs' | 'aheadMax'> {
    return this.#options.limits;
  }

  /** Creates a link to a page for this member. Nothing costs money until the member starts the session there. */
  async start(by: CallOrigin, request: LiveSwapRequest): Promise<LiveLink> {
    const { codec, publicUrl, limits } = this.#options;
    if (!codec) throw new LiveSwapError('no_codec');
    if (!publicUrl) throw new LiveSwapError('no_address');
    demandMinutes(request.minutes);
    const prompt = readPrompt(request.prompt);
    const face = request.face ? await this.#choose(by, request.face, codec) : null;
    const refusal = face === 'gone' ? FACE_GONE : await this.#admission.refuses(by, request.minutes);
    if (refusal || face === 'gone') return { kind: 'refused', refusal: refusal ?? FACE_GONE };
    const isAgreed = await this.#options.consents.hasAgreed(by.guildId, by.userId);
    if (this.#isStopping) throw new LiveSwapError('stopping');
    this.#demandFree(by.userId);
    if (this.#all.size >= limits.sessionsMax) throw new LiveSwapError('too_many');
    const session = this.#make(by, { minutes: request.minutes, prompt, face, codec, isAgreed });
    const key = this.#keys.issue(session);
    return { kind: 'link', url: `${publicUrl(LIVE_PATH)}#${key}`, view: session.view };
  }

  /** Ends the member's own session; returns null if there is none. */
  async stop({ userId }: CallOrigin): Promise<LiveSwapView | null> {
    const session = this.#sessions.get(userId);
    if (!session) return null;
    await session.end('stopped');
    return session.view;
  }

  /** Returns the member's own session; null if there is none. */
  status({ userId }: CallOrigin): Promise<LiveSwapView | null> {
    return Promise.resolve(this.#sessions.get(userId)?.view ?? null);
  }

  /** Ends the session of a member whose data was removed, so that their pictures are no longer sent. */
  forget(userId: string): void {
    void this.#sessions.get(userId)?.end('consent_gone');
  }

  /**
   * Exchanges a link's key for the pass that the page uses from then on. Returns null if the key belongs to no link.
   * The key cannot be used again.
   */
  enter(key: string): string | null {
    const entered = this.#keys.redeem(key);
    if (!entered || !entered.session.isWaiting) return null;
    entered.session.enter();
    return entered.pass;
  }

  /** Returns whether a pass belongs to a session. */
  hasPass(pass: string): boolean {
    return this.#keys.ofPass(pass) !== undefined;
  }

  /** Returns whether a key belongs to the URL of an output. */
  hasOutput(key: string): boolean {
    return this.#audienceOf(key) !== undefined;
  }

  /** Connects a page, closing any earlier one. Returns null if the pass is not valid. */
  takeSeat(pass: string, page: LivePage): LiveSeat | null {
    return this.#keys.ofPass(pass)?.seat(page) ?? null;
  }

  /** Connects a viewer. Returns null if the key is not valid or there are too many viewers. */
  watch(key: string, viewer: LiveViewer): LiveWatch | null {
    return this.#audienceOf(key)?.watch(viewer) ?? null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isStopping = true;
    await this.#owned[Symbol.asyncDispose]();
  }

  #audienceOf(key: string): Audience | undefined {
    const isOf = ({ audience }: SwapSession): boolean =>
      audience.key !== null && equalSecret(audience.key, key);
    return [...this.#all].find(isOf)?.audience;
  }

  #demandFree(userId: string): void {
    const session = this.#sessions.get(userId);
    if (!session || session.hasEnded) return;
    if (!session.isWaiting) throw new LiveSwapError('already_on');
    // Only the newest link is valid, so an earlier session that was not started ends.
    void session.end('expired');
  }

  async #choose(by: CallOrigin, request: RequestedFace, codec: LiveFrameCodec): Promise<ChosenFace | 'gone'> {
    if (!codec.promptWithFace) throw new LiveSwapError('no_faces');
    if (request.from === 'saved') {
      const found = await this.#options.faces.find(by.userId, request.nameOrId);
      return found ? { from: 'saved', faceId: found.id, name: found.name } : 'gone';
    }
    if (request.sizeBytes > FACE_BYTES_MAX) throw new LiveSwapError('face_too_large');
    return { from: 'file', url: request.url };
  }

  #make(
    by: CallOrigin,
    request: Omit<Opening, 'by' | 'sessionId'> & { readonly isAgreed: boolean },
  ): SwapSession {
    const { members } = this.#options;
    const { minutes, prompt, face, codec, isAgreed } = request;
    const id = randomId('swap');
    const session: SwapSession = new SwapSession({
      ...this.#options,
      id,
      by,
      savedFaceId: face?.from === 'saved' ? face.faceId : null,
      facts: {
        guildId: by.guildId,
        guildName: members.nameOf(by.guildId),
        minutes,
        prompt: prompt ?? null,
        face: face && { name: face.from === 'saved' ? face.name : null },
        ...this.#admission.pricesOf(minutes),
      },
      isAgreed,
      translator: codec.open(),
      open: openerOf(this.#options, { by, sessionId: id, ...request }),
      look: (running) => this.#admission.look(running),
      costOf: (paidId) => this.#options.paid.costOf(paidId),
      onOver: () => this.#drop(session),
      onEnded: () => this.#leave(session),
    });
    this.#sessions.set(by.userId, session);
    this.#all.add(session);
    return session;
  }

  /** Removes an ended session from the map of running ones, so that the member can start another. */
  #leave(session: SwapSession): void {
    if (this.#sessions.get(session.by.userId) === session) this.#sessions.delete(session.by.userId);
  }

  #drop(session: SwapSession): void {
    this.#leave(session);
    this.#all.delete(session);
    this.#keys.forget(session);
  }

  async #recheck(): Promise<void> {
    await Promise.all([...this.#all].map((session) => session.recheck()));
  }

  async #endAll(): Promise<void> {
    await Promise.all([...this.#all].map((session) => session.shutDown()));
  }
}

const FACE_GONE: Refusal = { reason: 'access', access: { rule: 'face_gone' } };

function demandMinutes(minutes: number): void {
  const isWithin = Number.isInteger(minutes) && minutes >= 1 && minutes <= MINUTES_MAX;
  if (!isWithin) throw new LiveSwapError('out_of_range');
}

function readPrompt(text: string | undefined): string | undefined {
  const prompt = text?.trim() ?? '';
  if (prompt.length > PROMPT_LENGTH_MAX) throw new LiveSwapError('prompt_too_long');
  return prompt === '' ? undefined : prompt;
}
