import type { LiveSwapView } from './live-swap-view.ts';

/** A member's page, as far as a session needs it. None of these throws. */
export interface LivePage {
  /** The view has changed. */
  changed(): void;
  warn(leftSeconds: number): void;
  /** Reports that a request of the member was not carried out. */
  tell(problem: string): void;
  /** Shows a picture; see `SendFrame`. */
  send(jpeg: Buffer, onSent: () => void): boolean;
  /** Closes the page's connection. Nothing follows. */
  close(why: 'over' | 'replaced' | 'shutdown'): void;
}

/** The controls of a session for its page. After `leave` they do nothing. */
export interface LiveSeat {
  readonly view: LiveSwapView;
  agree(version: string): Promise<void>;
  start(): void;
  stop(): void;
  /** Returns the key of a new address of the output. Null if the session is over. */
  share(): string | null;
  unshare(): void;
  /** Takes a picture of the camera. */
  show(jpeg: Buffer): void;
  /** Reports that the page received a picture. */
  answered(): void;
  /** Reports that the page is gone. */
  leave(): void;
}
