/** How one member's speech fares since they were added. */
export interface SpeakerStats {
  readonly userId: string;
  /**
   * What is added to the service's own time in milliseconds: from a packet's arrival until its sound is handed over
   * to the line, and from what comes back until it is sent, with what the codec looks ahead. Of the last minute.
   */
  readonly addedP50Ms: number;
  readonly addedP95Ms: number;
  /** Packets that never came, came too late, or in another order. */
  readonly lost: number;
  readonly late: number;
  readonly reordered: number;
  /** Packets that were not looked at: no Opus, or more sound than there is time. */
  readonly refusedPackets: number;
  readonly legs: LegCounts;
}

/** Sums over all lines that a member has had. */
export interface LegCounts {
  /** Lost packets that were taken from the next one, and those that were made up. */
  readonly recovered: number;
  readonly concealed: number;
  /** Packets that could not be decoded, and pieces that were made quieter because they cannot have been meant. */
  readonly faults: number;
  readonly bounded: number;
  /** Chunks that a line did not take. */
  readonly refused: number;
  /** Times that converted speech came too late, and how much of it was left out to be live again. */
  readonly underruns: number;
  readonly leftOutMs: number;
}

export const NO_LEG_COUNTS: LegCounts = {
  recovered: 0,
  concealed: 0,
  faults: 0,
  bounded: 0,
  refused: 0,
  underruns: 0,
  leftOutMs: 0,
};

/** How the channel's sound fares since the room was opened. */
export interface RoomStats {
  readonly framesSent: number;
  /** Frames that the connection could not take, and those that the process was too late for. */
  readonly framesRefused: number;
  readonly framesMissed: number;
  /** How late frames are, in milliseconds; of the last minute of frames. */
  readonly latenessP99Ms: number;
  readonly speakers: readonly SpeakerStats[];
}

export function addLegCounts(a: LegCounts, b: LegCounts): LegCounts {
  return {
    recovered: a.recovered + b.recovered,
    concealed: a.concealed + b.concealed,
    faults: a.faults + b.faults,
    bounded: a.bounded + b.bounded,
    refused: a.refused + b.refused,
    underruns: a.underruns + b.underruns,
    leftOutMs: a.leftOutMs + b.leftOutMs,
  };
}
