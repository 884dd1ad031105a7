/** Why a live swap is over. */
export type LiveSwapEnd =
  | 'stopped'
  /** The page was closed. */
  | 'closed'
  /** The page showed nothing for a while. */
  | 'silent'
  | 'granted'
  /** By the service or the network. */
  | 'lost'
  /** A rule, a pause, or the member is not in the guild any more. */
  | 'not_allowed'
  | 'consent_gone'
  /** The member deleted the saved face that they wear. */
  | 'face_gone'
  /** Nobody started it in time. */
  | 'expired'
  | 'shutdown';
