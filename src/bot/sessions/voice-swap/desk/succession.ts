import { problemOf } from './problems.ts';
import type { VoiceLine } from '../../voice-line.ts';

type Next =
  | { readonly kind: 'none' }
  | { readonly kind: 'opening'; readonly opening: AbortController }
  | { readonly kind: 'ready'; readonly line: VoiceLine }
  | { readonly kind: 'failed'; readonly problem: string };

const NONE: Next = { kind: 'none' };

/** The line that is to follow another one: asked for ahead, so that it is there when it must take over. */
export class Succession {
  readonly #close: (line: VoiceLine) => void;
  #next: Next = NONE;

  /** `close` is for lines that are not wanted any more. */
  constructor(close: (line: VoiceLine) => void) {
    this.#close = close;
  }

  /** Whether none was asked for. */
  get isIdle(): boolean {
    return this.#next.kind === 'none';
  }

  /** The line that is ready; null: none is. */
  get line(): VoiceLine | null {
    return this.#next.kind === 'ready' ? this.#next.line : null;
  }

  /** Why there will be none; null: nothing is known against it. */
  get problem(): string | null {
    return this.#next.kind === 'failed' ? this.#next.problem : null;
  }

  /** In place of any before; null when it is not wanted any more by then. Throws why there is none. */
  async open(line: (signal: AbortSignal) => Promise<VoiceLine>): Promise<VoiceLine | null> {
    this.drop();
    const opening = new AbortController();
    this.#next = { kind: 'opening', opening };
    const isWanted = (): boolean => this.#next.kind === 'opening' && this.#next.opening === opening;
    try {
      const opened = await line(opening.signal);
      if (!isWanted()) {
        this.#close(opened);
        return null;
      }
      this.#next = { kind: 'ready', line: opened };
      return opened;
    } catch (error) {
      if (!isWanted()) return null;
      this.#next = { kind: 'failed', problem: problemOf(error).problem };
      throw error;
    }
  }

  /** The line took over, or ended before it could. */
  clear(): void {
    this.#next = NONE;
  }

  /** None is wanted any more; one that is ready is closed by somebody else. */
  abandon(): void {
    if (this.#next.kind === 'opening') this.#next.opening.abort(new Error('Not wanted any more'));
    this.#next = NONE;
  }

  /** None is wanted any more. */
  drop(): void {
    const { line } = this;
    this.abandon();
    if (line) this.#close(line);
  }
}
