/** The limits: the milliseconds for which packets are kept, the packets kept per stream, and the number of streams. */
const PARKED_MS_MAX = 200;
const PARKED_MAX = 10;
const STREAMS_MAX = 8;

interface Parked {
  readonly packet: Buffer;
  readonly atMs: number;
}

/**
 * Keeps the first packets of streams that the voice server has not yet assigned to a member, still encrypted, so that
 * the first syllable is not lost. Packets that are too old or exceed the limits are dropped, oldest first.
 */
export class ParkedPackets {
  readonly #streams = new Map<number, Parked[]>();

  /** Keeps a packet. Returns the number of packets that were dropped to make room. */
  park(ssrc: number, packet: Buffer, nowMs: number): number {
    const stream = this.#streams.get(ssrc) ?? [];
    // Moves the stream to the end of the map, because the stream that was active last is kept longest.
    this.#streams.delete(ssrc);
    this.#streams.set(ssrc, stream);
    stream.push({ packet, atMs: nowMs });
    let dropped = dropOld(stream, nowMs);
    while (stream.length > PARKED_MAX) {
      stream.shift();
      dropped += 1;
    }
    const [oldest] = this.#streams.keys();
    if (this.#streams.size > STREAMS_MAX && oldest !== undefined) {
      dropped += this.#streams.get(oldest)?.length ?? 0;
      this.#streams.delete(oldest);
    }
    return dropped;
  }

  /**
   * Removes the packets of a stream and returns them in order of arrival, leaving out those that are too old.
   * `dropped` is the number of packets that were too old.
   */
  take(ssrc: number, nowMs: number): { readonly packets: readonly Buffer[]; readonly dropped: number } {
    const stream = this.#streams.get(ssrc) ?? [];
    this.#streams.delete(ssrc);
    const dropped = dropOld(stream, nowMs);
    return { packets: stream.map(({ packet }) => packet), dropped };
  }

  /** Removes all packets and returns their number. */
  clear(): number {
    const count = [...this.#streams.values()].reduce((sum, { length }) => sum + length, 0);
    this.#streams.clear();
    return count;
  }
}

function dropOld(stream: Parked[], nowMs: number): number {
  const kept = stream.findIndex(({ atMs }) => nowMs - atMs <= PARKED_MS_MAX);
  return stream.splice(0, kept < 0 ? stream.length : kept).length;
}
