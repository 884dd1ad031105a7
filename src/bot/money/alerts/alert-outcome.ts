/** The outcome of an alert. With `refused`, the channel takes no message, however often it is tried. */
export type Told = { readonly outcome: 'told' } | { readonly outcome: 'refused'; readonly reason: string };
