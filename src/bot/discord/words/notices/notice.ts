/** A message to a member: what happened, and what to do next, in plain sentences. */
export interface Notice {
  readonly title: string;
  readonly happened: string;
  readonly next: string;
}

export function notice(title: string, happened: string, next: string): Notice {
  return { title, happened, next };
}

/** Returns a size in decimal units, such as "66 KB" or "47 MB". */
export function sizeText(sizeBytes: number): string {
  if (sizeBytes < 100_000) return `${Math.round(sizeBytes / 1_000)} KB`;
  const size = sizeBytes / 1_000_000;
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} MB`;
}
