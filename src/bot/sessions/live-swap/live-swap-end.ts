/** The reasons why a live swap ends. */
export type LiveSwapEnd =
  | 'stopped'
  /** The page was closed. */
  | 'closed'
  /** The page sent no picture for too long. */
  | 'silent'
  | 'granted'
  /** The service or the network ended the session. */
  | 'lost'
  /** A rule or a pause forbids the session, or the member is no longer in the guild. */
  | 'not_allowed'
  | 'consent_gone'
  /** The member deleted the saved face in use. */
  | 'face_gone'
  /** The member did not start the session in time. */
  | 'expired'
  | 'shutdown';
