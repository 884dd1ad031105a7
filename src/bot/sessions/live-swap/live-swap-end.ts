/** The reasons why a live swap ends. */
export type LiveSwapEnd =
  | 'stopped'
  /** The page was closed. */
  | 'closed'
  /** The page did not send a picture for too long. */
  | 'silent'
  | 'granted'
  /** The service or the network ended it. */
  | 'lost'
  /** A rule or a pause forbids it, or the member is no longer in the guild. */
  | 'not_allowed'
  | 'consent_gone'
  /** The member deleted the saved face in use. */
  | 'face_gone'
  /** The member did not start it in time. */
  | 'expired'
  | 'shutdown';
