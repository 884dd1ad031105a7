/** The part of a session that its participants use. */
export interface ParticipantHost {
  /** Whether paid lines may be open now. */
  readonly isOpen: boolean;
  /** The remaining minutes, rounded up, and at least 1. */
  readonly minutesLeft: number;
  /** Whether another line may follow when the current line's time is used up. */
  readonly isRenewed: boolean;
  /** Reports that something visible to members has changed. */
  changed(): void;
}
