/** The outcome of an alert. `refused` means that the channel accepts no message, however often it is tried. */
export type AlertOutcome =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused'; readonly reason: string };
