/** The session of a participant, as far as the participant needs it. */
export interface ParticipantHost {
  /** Whether a paid line may be open now, whichever member speaks. */
  readonly isOpen: boolean;
  /** Whole minutes that are left, at least 1. */
  readonly minutesLeft: number;
  /** Whether another line may follow one whose time is used up. */
  readonly isRenewed: boolean;
  /** Something that members see has changed. */
  changed(): void;
}
