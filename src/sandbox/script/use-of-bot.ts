import type { WaitOptions } from '../chat/changes.ts';
import { CALLBACK_TYPES, type Interaction } from '../chat/interaction.ts';
import { dispatchInteraction } from '../chat/interactions.ts';
import { hasFlag } from '../chat/message.ts';
import type { Payload } from '../chat/payload.ts';
import type { World } from '../chat/world.ts';
import { MessageView } from './message-view.ts';

/** The state of a use of the bot, as its member sees it. */
type UseState =
  /** The bot has not responded. */
  | 'waiting'
  /** The bot has acknowledged the use, but shows nothing yet. */
  | 'deferred'
  /** A reply, a form or a changed message is shown. */
  | 'replied'
  /** The bot did not respond in time: the member sees "The application did not respond". */
  | 'failed';

/** One use of the bot (a command, a button or a form) and its results. */
export class UseOfBot {
  readonly #world: World;
  readonly interaction: Interaction;

  constructor(world: World, interaction: Interaction) {
    this.#world = world;
    this.interaction = interaction;
  }

  /** The interaction's id. */
  get id(): string {
    return this.interaction.id;
  }

  get state(): UseState {
    const { state, modal, choices, original } = this.interaction;
    if (state.is === 'waiting') return 'waiting';
    if (state.is === 'failed') return 'failed';
    if (modal || choices || state.callbackType === CALLBACK_TYPES.update) return 'replied';
    if (state.callbackType === CALLBACK_TYPES.deferredUpdate) return 'deferred';
    return original && hasFlag(original, 'LOADING') ? 'deferred' : 'replied';
  }

  /** Whether the bot failed to acknowledge the use within 3 seconds. */
  get failed(): boolean {
    return this.state === 'failed';
  }

  /** The first reply; null until it shows something, and after it has been deleted. */
  get reply(): MessageView | null {
    const { original } = this.interaction;
    if (!original || original.deletedAtMs !== null || hasFlag(original, 'LOADING')) return null;
    return new MessageView(this.#world, original);
  }

  get followUps(): readonly MessageView[] {
    return this.interaction.followUps
      .filter((message) => message.deletedAtMs === null)
      .map((message) => new MessageView(this.#world, message));
  }

  /** The form that the bot opened, as it was sent; null if it opened none. */
  get form(): Payload | null {
    return this.interaction.modal ? { ...this.interaction.modal } : null;
  }

  /**
   * The time from the use to the first response, in milliseconds on the sandbox's clock; null until the bot responds.
   */
  get acknowledgedAfterMs(): number | null {
    const { state, createdAtMs } = this.interaction;
    return state.is === 'acknowledged' ? state.atMs - createdAtMs : null;
  }

  /** Resolves when the bot has responded in any way. Rejects if that takes more than `withinMs` (default 3,000). */
  async acknowledged(options: { readonly withinMs?: number } = {}): Promise<this> {
    const withinMs = options.withinMs ?? 3000;
    const afterMs = await this.#world.changes.until(
      () => {
        if (this.state === 'failed')
          throw new Error(`Cannot see a response to ${this.#name}: the bot did not respond in time`);
        return this.acknowledgedAfterMs ?? undefined;
      },
      { timeoutMs: withinMs, what: `an answer to ${this.#name}` },
    );
    if (afterMs > withinMs) {
      throw new Error(
        `Cannot accept the answer to ${this.#name}: it took ${afterMs} ms instead of ${withinMs} ms`,
      );
    }
    return this;
  }

  /** Resolves with the first reply as soon as it shows something and `matches` accepts it. */
  replyWhere(matches: (message: MessageView) => boolean, options: WaitOptions = {}): Promise<MessageView> {
    return this.#world.changes.until(
      () => {
        if (this.state === 'failed')
          throw new Error(`Cannot see a reply to ${this.#name}: the bot did not respond in time`);
        const reply = this.reply;
        return reply && matches(reply) ? reply : undefined;
      },
      { ...options, what: `the awaited reply to ${this.#name}`, describe: () => this.#describe() },
    );
  }

  /** Resolves with the first reply as soon as it shows anything. */
  replied(options: WaitOptions = {}): Promise<MessageView> {
    return this.replyWhere(() => true, options);
  }

  /** Resolves with the first follow-up that `matches` accepts. */
  followUpWhere(matches: (message: MessageView) => boolean, options: WaitOptions = {}): Promise<MessageView> {
    return this.#world.changes.until(() => this.followUps.find(matches), {
      ...options,
      what: `the awaited follow-up to ${this.#name}`,
      describe: () => `${this.followUps.length} follow-ups`,
    });
  }

  /** Sends the same interaction to the bot again, like a gateway that sends duplicates. */
  repeats(): void {
    dispatchInteraction(this.#world, this.interaction);
  }

  get #name(): string {
    return this.interaction.commandName ? `/${this.interaction.commandName}` : `interaction ${this.id}`;
  }

  #describe(): string {
    return `a use in state "${this.state}" that shows ${JSON.stringify(this.reply?.text ?? null)}`;
  }
}
