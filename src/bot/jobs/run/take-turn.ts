import { listUnsentOfGuild, moveTurn, turnNow, type UnsentJob } from '../../../../db/queries/job-turns.ts';
import type { Trx } from '../../../../db/schema.ts';

const UNSENT_READ_MAX = 1_000;

/** The turn of a new job among those of its guild, and the jobs that move back by one turn for it. */
interface Placed {
  readonly turn: number;
  readonly moved: readonly { readonly id: string; readonly turn: number }[];
}

/**
 * Assigns the turn of a new job. Each guild has one job per turn, starting with the current turn, so the first job of a
 * guild waits for at most one job of every other guild. The turns of one guild are divided between its members in rounds
 * with one job of each member, so a flood of jobs of one member does not delay the other members.
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
 * Computes the turn of a new job. `unsent` are the guild's jobs in the order of their turns, and `nowTurn` is the
 * current turn.
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
