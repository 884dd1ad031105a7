export interface DeskRefused {
  readonly outcome: 'refused';
  readonly why: DeskRefusal;
}

export type DeskRefusal =
  /** No job in this guild has the requested id, or the job was deleted. */
  | 'not_found'
  /** The job belongs to another member, and the caller is not a moderator. */
  | 'not_yours'
  /** Only the member who requested the job can confirm its price. */
  | 'not_the_asker'
  /** A budget manager or the operator must first review one of the member's earlier charges. */
  | 'overrun_unseen'
  | 'still_running'
  | 'ended'
  /** Another attempt with the same files would fail again. */
  | 'pointless'
  /** Another attempt is running. */
  | 'already_retrying'
  /** The job's files are no longer kept. */
  | 'inputs_gone'
  /** The job has no result to report. */
  | 'no_result';
