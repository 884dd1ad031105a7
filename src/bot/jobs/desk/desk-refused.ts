export interface DeskRefused {
  readonly outcome: 'refused';
  readonly why: DeskRefusal;
}

export type DeskRefusal =
  /** There is none of this id in this guild, or it was deleted. */
  | 'not_found'
  /** It belongs to somebody else, and who asks is no moderator. */
  | 'not_yours'
  /** Who asked for it must say yes to its price, and nobody else. */
  | 'not_the_asker'
  /** A budget manager or the operator must review an earlier charge of the member first. */
  | 'overrun_unseen'
  | 'still_running'
  | 'ended'
  /** The same files will not do the next time either. */
  | 'pointless'
  /** Another try is under way. */
  | 'already_retrying'
  /** Its files are not kept any more. */
  | 'inputs_gone'
  /** It has no result to report. */
  | 'no_result';
