/** The outcome of an alert. With `refused`, the channel takes no message, however often it is tried. */
export type AlertOutcome =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused'; readonly reason: string };
