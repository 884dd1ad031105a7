import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock, Timer } from './clock.ts';

interface ExchangeLimits {
  /** The time in milliseconds within which a request must be completely received and its answer started. */
  readonly answerMs: number;
  /** A clock that runs in real time, as sockets do. */
  readonly clock: Clock;
}

const PACE_MS = 60_000;
/** The minimum number of bytes that a reader must take in `PACE_MS`: 16 KiB a second. */
const PACE_BYTES_MIN = (16 * 1024 * PACE_MS) / 1000;

/**
 * Ends the connection if a request arrives too slowly or is not answered in time, or if the reader of an answer takes
 * less than 16 KiB a second over a minute. It works on any server, regardless of that server's own limits. A hijacked
 * reply is left to the code that took it over.
 */
export function limitExchange(
  request: FastifyRequest,
  reply: FastifyReply,
  { answerMs, clock }: ExchangeLimits,
): void {
  const { socket } = request.raw;
  // A request that a host injects into its own server has no socket.
  if (!(socket instanceof Socket)) return;
  // The caller disconnected before its request was handled, so no one would read an answer.
  if (socket.destroyed) return void reply.hijack();
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
    // An answer can end while its request is still arriving; then the timer keeps running.
    if (request.raw.complete || request.raw.destroyed) timer.cancel();
  });
}

function isHijacked({ sent, raw }: FastifyReply): boolean {
  return sent && !raw.writableEnded;
}

/** Returns the number of bytes sent to the reader, not counting those that are still waiting in this process. */
function bytesTaken({ raw: { socket } }: FastifyReply): number {
  return socket ? socket.bytesWritten - socket.writableLength : 0;
}
