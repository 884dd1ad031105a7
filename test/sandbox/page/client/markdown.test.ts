import { describe, expect, test } from 'vitest';
import type { Block, Inline } from '../../../../src/sandbox/page/client/markdown/nodes.ts';
import { parseBlocks } from '../../../../src/sandbox/page/client/markdown/parse-blocks.ts';
import { parseInline } from '../../../../src/sandbox/page/client/markdown/parse-inline.ts';
import { webLink } from '../../../../src/sandbox/page/client/message/web-link.ts';

const GOOD = 'https://good.example/';

function linksIn(parts: readonly Inline[]): readonly string[] {
  return parts.flatMap((part) => {
    if (part.is === 'link') return [part.url, ...linksIn(part.inner)];
    return 'inner' in part ? linksIn(part.inner) : [];
  });
}

function textOf(parts: readonly Inline[]): string {
  return parts
    .map((part) => ('inner' in part ? textOf(part.inner) : 'text' in part ? part.text : ''))
    .join('');
}

function depthOf(blocks: readonly Block[]): number {
  return Math.max(0, ...blocks.map((block) => (block.is === 'quote' ? 1 + depthOf(block.blocks) : 0)));
}

describe('the text of a message', () => {
  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '//good.example/'])(
    'has no link to %s',
    (url) => {
      expect(linksIn(parseInline(`[press](${url}) <${url}> ${url.trim().slice(0, 5)}`))).toEqual([]);
      expect(webLink(url)).toBeUndefined();
    },
  );

  test('links to web pages: bare, in brackets and behind words', () => {
    const parts = parseInline(`${GOOD}. <${GOOD}> [**here**](${GOOD})`);

    expect(linksIn(parts)).toEqual([GOOD, GOOD, GOOD]);
    expect(textOf(parts)).toBe(`${GOOD}. ${GOOD} here`);
    expect(webLink(GOOD)).toBe(GOOD);
    expect(webLink(` ${GOOD}`)).toBeUndefined();
  });

  test('a link whose text shows another address leads only to its own address', () => {
    const parts = parseInline('[**https://bank.example/**](https://evil.example/)');

    expect(linksIn(parts)).toEqual(['https://evil.example/']);
    expect(textOf(parts)).toBe('https://bank.example/');
  });

  test.each([
    '*',
    '**',
    '_',
    '__',
    '~~',
    '||',
    '`',
    '``',
    '[',
    '[a](',
    '<',
    '\\',
    '> ',
    '```',
    '*_',
    '- ',
    '**a',
  ])('made of %s alone is parsed at once, and without deep nesting', (piece) => {
    const began = performance.now();
    const blocks = parseBlocks(piece.repeat(Math.ceil(8_000 / piece.length)));

    expect(depthOf(blocks)).toBeLessThanOrEqual(1);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
