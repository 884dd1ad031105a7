import type { Kind } from './kind.ts';

const SHOWN_LENGTH_MAX = 80;

/** Returns the error about a variable whose value is not allowed. It shows the value unless the kind is secret. */
export function malformedLine(variable: string, kind: Kind<unknown>, text: string): string {
  const held = kind.isSecret ? `${text.length} characters (not shown)` : JSON.stringify(shownText(text));
  return `${variable} holds ${held}: it may hold ${kind.allowed}`;
}

/** Shortens `text`, and hides a URL's credentials and query. */
export function shownText(text: string): string {
  const open = text.replace(/\/\/[^/]*@/, '//[hidden]@').replace(/\?.*$/s, '?[hidden]');
  return open.length <= SHOWN_LENGTH_MAX ? open : `${open.slice(0, SHOWN_LENGTH_MAX)}…`;
}
