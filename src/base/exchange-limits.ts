import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock, Timer } from './clock.ts';

export interface ExchangeLimits {
  /** Time in milliseconds until a request is read to its end and its answer has begun. */
  readonly answerMs: number;
  /** Of real time, in which sockets live. */
  readonly clock: Clock;
}

const PACE_MS = 60_000;
/** What a reader must take over this span: 16 KiB a second. */
const PACE_BYTES_MIN = (16 * 1024 * PACE_MS) / 1000;

/**
 * Ends the connection of a request that arrives too slowly or is not answered in time, and of an answer whose reader
 * takes less than 16 KiB a second over a minute. It works on any server, whatever limits that has. A hijacked reply is its
 * new owner's.
 */
export function limitExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  { answerMs, clock }: ExchangeLimits,
): void {
  const { socket } = request.raw;
  // A request that a host injects into its own server came by no connection.
  if (!(socket instanceof Socket)) return;
  const { raw } = reply;
  let timer: Timer;
  let takenBefore = 0;
  let isAnswered = false;
  const checkAfter = (delayMs: number, isFine: () => boolean): void => {
    timer = clock.after(
      delayMs,
      () => {
        if (isHijacked(reply)) return;
        if (!isFine()) return void socket.destroy();
        if (isAnswered) return;
        takenBefore = bytesTaken(reply);
        checkAfter(PACE_MS, () => bytesTaken(reply) - takenBefore >= PACE_BYTES_MIN);
      },
      { background: true },
    );
  };
  checkAfter(answerMs, () => request.raw.complete && raw.headersSent);
  raw.once('close', () => {
    isAnswered = true;
    // An answer may leave while its request still arrives.
    if (request.raw.complete || request.raw.destroyed) timer.cancel();
  });
}

function isHijacked({ sent, raw }: FastifyReply): boolean {
  return sent && !raw.writableEnded;
}

/** Bytes that went to the reader's connection, without those that still wait in this process. */
function bytesTaken({ raw: { socket } }: FastifyReply): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}
