/**
 * The outcome of an alert. `refused` means that further attempts would be pointless, because the channel accepts no
 * message from the bot.
 */
export type AlertOutcome =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused'; readonly reason: string };
