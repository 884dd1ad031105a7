/** A page that only shows the output of a session. */
export interface LiveViewer {
  changed(phase: 'waiting' | 'live' | 'ended'): void;
  send(jpeg: Buffer, onSent: () => void): boolean;
  close(why: 'over' | 'shutdown' | 'not_good'): void;
}

/** A viewer's connection to a session. After `leave` it does nothing. */
export interface LiveWatch {
  readonly phase: 'waiting' | 'live' | 'ended';
  answered(): void;
  leave(): void;
}
