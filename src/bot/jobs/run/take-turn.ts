import { listUnsentOfGuild, moveTurn, turnNow, type UnsentJob } from '../../../../db/queries/job-turns.ts';
import type { Trx } from '../../../../db/schema.ts';

const UNSENT_READ_MAX = 1_000;

/** A new job's turn among its guild's jobs, and the jobs that move back by one turn to make room for it. */
interface Placed {
  readonly turn: number;
  readonly moved: readonly { readonly id: string; readonly turn: number }[];
}

/**
 * Assigns a turn to a new job. Each guild has one job per turn, starting with the current turn, so the first job of a
 * guild waits for at most one job of every other guild. A guild's turns are divided among its members in rounds, with
 * one job from each member per round, so a flood of jobs from one member does not delay the other members.
 */
export async function takeTurn(
  trx: Trx,
  of: { readonly guildId: string; readonly userId: string },
): Promise<number> {
  const unsent = await listUnsentOfGuild(trx, of.guildId, UNSENT_READ_MAX);
  const { turn, moved } = placeInLine(unsent, of.userId, await turnNow(trx));
  for (const other of moved) await moveTurn(trx, other.id, other.turn);
  return turn;
}

/**
 * Computes a new job's turn. `unsent` are the guild's jobs in the order of their turns, and `nowTurn` is the current
 * turn.
 */
export function placeInLine(unsent: readonly UnsentJob[], userId: string, nowTurn: number): Placed {
  const addedTurn = Math.max(nowTurn, (unsent.at(-1)?.turn ?? 0) + 1);
  const rounds = new Map<string, number>();
  const roundOf = unsent.map((job) => {
    const round = (rounds.get(job.userId) ?? 0) + 1;
    rounds.set(job.userId, round);
    return round;
  });
  const ownRound = (rounds.get(userId) ?? 0) + 1;
  const place = roundOf.findLastIndex((round) => round <= ownRound) + 1;
  const turns = [...unsent.map((job) => job.turn), addedTurn];
  return {
    turn: turns[place] ?? addedTurn,
    moved: unsent.slice(place).map(({ id }, index) => ({ id, turn: turns[place + index + 1] ?? addedTurn })),
  };
}
