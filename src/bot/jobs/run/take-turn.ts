import { listUnsentOfGuild, moveTurn, turnNow, type UnsentJob } from '../../../../db/queries/job-turns.ts';
import type { Trx } from '../../../../db/schema.ts';

const UNSENT_READ_MAX = 1_000;

/** Where a new job stands among those of its guild, and which of them stand back by one for it. */
interface Placed {
  readonly turn: number;
  readonly moved: readonly { readonly id: string; readonly turn: number }[];
}

/**
 * The turn of a new job. Guilds are served in rounds: each has one job per turn, from the turn that it now is, so
 * a guild that comes anew waits for one job of every other at most. Within its guild's turns a job stands after
 * those of the same round of every member, so one member's flood does not hold up the next.
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

/** `unsent`: the guild's own, in the order of their turns; `nowTurn`: the turn that it is. */
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
