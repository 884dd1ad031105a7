/** Who only looks at the output. */
export interface LiveViewer {
  changed(phase: 'waiting' | 'live' | 'ended'): void;
  send(jpeg: Buffer, onSent: () => void): boolean;
  close(why: 'over' | 'shutdown' | 'not_good'): void;
}

export interface LiveWatch {
  readonly phase: 'waiting' | 'live' | 'ended';
  answered(): void;
  leave(): void;
}
