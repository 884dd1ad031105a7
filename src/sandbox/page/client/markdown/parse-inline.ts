import type { Inline } from './nodes.ts';

const DEPTH_MAX = 8;

type Rule = readonly [
  pattern: RegExp,
  make: (match: RegExpExecArray, parse: (text: string) => readonly Inline[]) => Inline,
];

const group = (match: RegExpExecArray, index = 1): string => match[index] ?? '';

/** The rules in order of precedence. Links lead only to web pages. */
const RULES: readonly Rule[] = [
  [/\\([^\sA-Za-z0-9])/y, (match) => ({ is: 'text', text: group(match) })],
  [/``(.+?)``(?!`)/sy, (match) => ({ is: 'code', text: group(match).trim() })],
  [/`([^`]+)`/y, (match) => ({ is: 'code', text: group(match) })],
  [/\|\|(.+?)\|\|/sy, (match, parse) => ({ is: 'spoiler', inner: parse(group(match)) })],
  [/\*\*(.+?)\*\*(?!\*)/sy, (match, parse) => ({ is: 'bold', inner: parse(group(match)) })],
  [/__(.+?)__(?!_)/sy, (match, parse) => ({ is: 'underlined', inner: parse(group(match)) })],
  [/~~(.+?)~~/sy, (match, parse) => ({ is: 'struck', inner: parse(group(match)) })],
  [/\*(?=\S)((?:\*\*|[^*])+?)\*(?!\*)/sy, (match, parse) => ({ is: 'italics', inner: parse(group(match)) })],
  [
    /(?<![A-Za-z0-9])_([^_]+)_(?![A-Za-z0-9])/y,
    (match, parse) => ({ is: 'italics', inner: parse(group(match)) }),
  ],
  [
    /\[([^[\]\n]+)\]\(<?(https?:\/\/[^\s)>]+)>?(?: "[^"\n]*")?\)/y,
    (match, parse) => ({ is: 'link', url: group(match, 2), inner: withoutLinks(parse(group(match))) }),
  ],
  [/<(https?:\/\/[^\s>]+)>/y, (match) => bare(group(match))],
  [/https?:\/\/[^\s<]*[^\s<.,:;"'\])]/y, (match) => bare(group(match, 0))],
  [/<@!?(\d{15,20})>/y, (match) => ({ is: 'user', id: group(match) })],
  [/<@&(\d{15,20})>/y, (match) => ({ is: 'role', id: group(match) })],
  [/<#(\d{15,20})>/y, (match) => ({ is: 'channel', id: group(match) })],
  [/<\/([^:>\n]{1,100}):\d{1,20}>/y, (match) => ({ is: 'command', name: group(match) })],
  [
    /<t:(-?\d{1,13})(?::([tTdDfFR]))?>/y,
    (match) => ({ is: 'time', seconds: Number(group(match)), style: match[2] ?? 'f' }),
  ],
  [/<a?:(\w{2,32}):\d{15,20}>/y, (match) => ({ is: 'emoji', name: group(match) })],
  [/@(?:everyone|here)\b/y, (match) => ({ is: 'everyone', text: group(match, 0) })],
  [/\n/y, () => ({ is: 'break' })],
];
/** Plain text up to the next character at which a rule may match. */
const PLAIN = /[^\\`|*_~[<@\nh]+|h(?!ttps?:\/\/)/y;

/** Parses the markdown inside a line. */
export function parseInline(text: string, depth = 0): readonly Inline[] {
  const parts: Inline[] = [];
  const parse = (inner: string): readonly Inline[] =>
    depth < DEPTH_MAX ? parseInline(inner, depth + 1) : [{ is: 'text', text: inner }];
  let at = 0;
  let plain = '';
  const flush = (): void => {
    if (plain !== '') parts.push({ is: 'text', text: plain });
    plain = '';
  };
  while (at < text.length) {
    PLAIN.lastIndex = at;
    const run = PLAIN.exec(text)?.[0];
    const found = run === undefined ? matchRule(text, at) : undefined;
    if (found) {
      flush();
      parts.push(found.rule[1](found.match, parse));
    }
    const taken = run ?? found?.match[0] ?? text.charAt(at);
    if (!found) plain += taken;
    at += taken.length;
  }
  flush();
  return parts;
}

function matchRule(text: string, at: number): { rule: Rule; match: RegExpExecArray } | undefined {
  for (const rule of RULES) {
    rule[0].lastIndex = at;
    const match = rule[0].exec(text);
    if (match) return { rule, match };
  }
  return undefined;
}

/** Turns links inside a link's text into plain text, because they would show one target and lead to another. */
function withoutLinks(parts: readonly Inline[]): readonly Inline[] {
  return parts.flatMap((part) => {
    if (part.is === 'link') return withoutLinks(part.inner);
    return 'inner' in part ? { ...part, inner: withoutLinks(part.inner) } : part;
  });
}

function bare(url: string): Inline {
  return { is: 'link', url, inner: [{ is: 'text', text: url }] };
}
