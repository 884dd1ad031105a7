/** One thing a member is told: what happened, and what to do next. Plain sentences, ready to show. */
export interface Notice {
  readonly title: string;
  readonly happened: string;
  readonly next: string;
}

export function notice(title: string, happened: string, next: string): Notice {
  return { title, happened, next };
}
