/** The reasons why a live swap ends. */
export type LiveSwapEnd =
  | 'stopped'
  /** The page was closed. */
  | 'closed'
  /** The page sent no picture for a while. */
  | 'silent'
  | 'granted'
  /** The service or the network broke it off. */
  | 'lost'
  /** A rule or a pause forbids it, or the member is no longer in the guild. */
  | 'not_allowed'
  | 'consent_gone'
  /** The member deleted the saved face that they use. */
  | 'face_gone'
  /** The member did not start it in time. */
  | 'expired'
  | 'shutdown';
