/** One speech sound with its time, in seconds from the beginning. Phones follow each other without gaps. */
export interface Phone {
  /** The name in lower-case ARPAbet without stress, as Flite prints it; `pau` is a pause. */
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

export const PAUSE = 'pau';
