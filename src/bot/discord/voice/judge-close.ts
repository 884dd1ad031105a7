/**
 * The verdict on a closed voice connection. `rejoin`: the bot tries again. `dismissed`: someone disconnected the bot or
 * the call ended, unless Discord names another voice server at once. `stay_away`: the bot is not allowed to return.
 * `refused`: the call requires end-to-end encryption that the bot did not offer.
 */
export type CloseVerdict = 'rejoin' | 'dismissed' | 'stay_away' | 'refused';

const VERDICTS: ReadonlyMap<number, CloseVerdict> = new Map([
  [4014, 'dismissed'],
  [4017, 'refused'],
  [4021, 'stay_away'],
  [4022, 'dismissed'],
]);

/** Returns the verdict on a close code; `code` is null if the bot abandoned the connection. */
export function judgeClose(code: number | null): CloseVerdict {
  return (code === null ? undefined : VERDICTS.get(code)) ?? 'rejoin';
}
