/** Statistics about one member's speech since the member was added. */
export interface SpeakerStats {
  readonly userId: string;
  /**
   * The delay in milliseconds that the bot adds to the service's own, over the last minute: from the arrival of a
   * packet until its audio is sent to the line, and from the arrival of the converted audio until it is sent to the
   * channel, including the codec's lookahead.
   */
  readonly addedP50Ms: number;
  readonly addedP95Ms: number;
  /** Packets that never arrived, arrived too late, or arrived out of order. */
  readonly lost: number;
  readonly late: number;
  readonly reordered: number;
  /** Packets that were ignored because they were not Opus or contained more audio than the time that had passed. */
  readonly refusedPackets: number;
  readonly legs: LegCounts;
}

/** Totals over all of a member's lines. */
export interface LegCounts {
  /** Lost packets that were recovered from the next packet, and lost packets that were concealed. */
  readonly recovered: number;
  readonly concealed: number;
  /**
   * Packets that could not be decoded, and pieces of audio that were made quieter because they were too loud to be real
   * speech.
   */
  readonly faults: number;
  readonly bounded: number;
  /** Chunks that a line did not accept. */
  readonly refused: number;
  /**
   * The number of times converted speech arrived too late, and the milliseconds of it that were dropped to catch up.
   */
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

/** Statistics about the channel's audio since the room was opened. */
export interface RoomStats {
  readonly framesSent: number;
  /** Frames that the connection could not send, and frames that were skipped because the process was too late. */
  readonly framesRefused: number;
  readonly framesMissed: number;
  /** The 99th percentile of how late the last 3,000 frames were, in milliseconds. */
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
