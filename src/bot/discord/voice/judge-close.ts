/**
 * The meaning of a closed voice connection. `rejoin`: another try may help. `dismissed`: the bot was sent away or the
 * call ended, unless another voice server is named at once. `stay_away`: Discord asks the bot not to come back.
 * `refused`: the call takes no clients without end-to-end encryption.
 */
export type CloseVerdict = 'rejoin' | 'dismissed' | 'stay_away' | 'refused';

const VERDICTS: ReadonlyMap<number, CloseVerdict> = new Map([
  [4014, 'dismissed'],
  [4017, 'refused'],
  [4021, 'stay_away'],
  [4022, 'dismissed'],
]);

/** Judges a close code; `code` is null if the bot gave up the connection. */
export function judgeClose(code: number | null): CloseVerdict {
  return (code === null ? undefined : VERDICTS.get(code)) ?? 'rejoin';
}
