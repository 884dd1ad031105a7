import type { LiveSwapView } from './live-swap-view.ts';

/** A member's page, as far as a session needs it. None of these throws. */
export interface LivePage {
  /** Something of the view has changed. */
  changed(): void;
  warn(leftSeconds: number): void;
  /** Something that the member asked for was not done. */
  tell(problem: string): void;
  /** Shows a picture; see `SendFrame`. */
  send(jpeg: Buffer, onSent: () => void): boolean;
  /** Nothing more will be said. */
  close(why: 'over' | 'replaced' | 'shutdown'): void;
}

/** What a page can do. After `leave` it does nothing. */
export interface LiveSeat {
  readonly view: LiveSwapView;
  agree(version: string): Promise<void>;
  start(): void;
  stop(): void;
  /** The key of a new address of the output; null when it is over. */
  share(): string | null;
  unshare(): void;
  /** A picture of the camera. */
  show(jpeg: Buffer): void;
  /** A picture that was sent to the page has arrived. */
  answered(): void;
  /** The page is gone. */
  leave(): void;
}
