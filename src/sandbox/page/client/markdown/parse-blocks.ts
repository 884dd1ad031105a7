import type { Block } from './nodes.ts';
import { parseInline } from './parse-inline.ts';

const FENCE = /```(?:([\w+#-]+)\n)?\n?(.*?)\n?```/s;
const ITEM = /^ {0,8}(?:[-*]|(\d{1,9})\.) +(?=\S)/;
const HEADING = /^(#{1,3}) +(?=\S)/;
const TEXT_LENGTH_MAX = 8_000;

/** Parses a message's markdown: the syntax that Discord's chat supports. The result cannot contain scripts. */
export function parseBlocks(text: string, isQuoted = false): readonly Block[] {
  const blocks: Block[] = [];
  let rest = text.slice(0, TEXT_LENGTH_MAX);
  for (let fence = FENCE.exec(rest); fence; fence = FENCE.exec(rest)) {
    blocks.push(...parseLines(rest.slice(0, fence.index).replace(/\n$/, ''), isQuoted));
    blocks.push({ is: 'code', text: fence[2] ?? '' });
    rest = rest.slice(fence.index + fence[0].length).replace(/^\n/, '');
  }
  return [...blocks, ...parseLines(rest, isQuoted)];
}

function parseLines(text: string, isQuoted: boolean): readonly Block[] {
  if (text === '') return [];
  const lines = text.split('\n');
  const blocks: Block[] = [];
  while (lines.length > 0) blocks.push(takeBlock(lines, isQuoted));
  return blocks;
}

/** Removes the lines of the next block from `lines` and returns the block. */
function takeBlock(lines: string[], isQuoted: boolean): Block {
  const first = lines[0] ?? '';
  const heading = HEADING.exec(first);
  if (heading) {
    lines.shift();
    const level = (heading[1]?.length ?? 1) as 1 | 2 | 3;
    return { is: 'heading', level, inner: parseInline(first.slice(heading[0].length)) };
  }
  if (first.startsWith('-# ')) {
    lines.shift();
    return { is: 'small', inner: parseInline(first.slice(3)) };
  }
  if (!isQuoted && first.startsWith('>>> ')) {
    const quoted = lines.splice(0).join('\n').slice(4);
    return { is: 'quote', blocks: parseLines(quoted, true) };
  }
  if (!isQuoted && isQuote(first)) {
    const quoted = takeWhile(lines, isQuote).map((line) => line.slice(2));
    return { is: 'quote', blocks: parseLines(quoted.join('\n'), true) };
  }
  const item = ITEM.exec(first);
  if (item) {
    const items = takeWhile(lines, (line) => ITEM.test(line));
    const ordered = item[1] !== undefined;
    const inner = items.map((line) => parseInline(line.replace(ITEM, '')));
    return { is: 'list', ordered, start: Number(item[1] ?? 1), items: inner };
  }
  const plain = [lines.shift() ?? '', ...takeWhile(lines, (line) => !begins(line, isQuoted))];
  return { is: 'paragraph', inner: parseInline(plain.join('\n')) };
}

function isQuote(line: string): boolean {
  return line.startsWith('> ') || line === '>';
}

function begins(line: string, isQuoted: boolean): boolean {
  const isMarked = HEADING.test(line) || ITEM.test(line) || line.startsWith('-# ');
  return isMarked || (!isQuoted && (isQuote(line) || line.startsWith('>>> ')));
}

function takeWhile(lines: string[], holds: (line: string) => boolean): readonly string[] {
  const end = lines.findIndex((line) => !holds(line));
  return lines.splice(0, end < 0 ? lines.length : end);
}
