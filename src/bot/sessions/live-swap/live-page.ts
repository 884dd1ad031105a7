import type { LiveSwapView } from './live-swap-view.ts';

/** The functions of a member's page that a session uses. No method throws. */
export interface LivePage {
  /** Reports that the view has changed. */
  changed(): void;
  warn(leftSeconds: number): void;
  /** Reports that a request from the member failed. */
  reportProblem(problem: string): void;
  /** Shows a picture; see `SendFrame`. */
  send(jpeg: Buffer, onSent: () => void): boolean;
  /** Closes the connection to the page. Nothing is sent afterwards. */
  close(why: 'over' | 'replaced' | 'shutdown'): void;
}

/** The controls that a session offers to its page. After `leave` they do nothing. */
export interface LiveSeat {
  readonly view: LiveSwapView;
  agree(version: string): Promise<void>;
  start(): void;
  stop(): void;
  /** Returns the key of a new URL for the output; null if the session is over. */
  share(): string | null;
  unshare(): void;
  /** Receives a camera picture. */
  show(jpeg: Buffer): void;
  /** Reports that the page has received a picture. */
  answered(): void;
  /** Reports that the page is gone. */
  leave(): void;
}
