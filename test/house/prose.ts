import { type Comment, Visitor, parseSync } from 'oxc-parser';

/** A word or phrase that the project does not use, and what to write instead. */
interface Rule {
  readonly pattern: RegExp;
  readonly better: string;
}

/** One place that breaks a rule. */
export interface Offence {
  /** The text that was found. */
  readonly found: string;
  readonly better: string;
}

/** A piece of English in a file. */
interface Passage {
  readonly text: string;
  /** Whether it consists of sentences, so that their first words are also checked. */
  readonly hasSentences: boolean;
}

/** Words that read like a translation. `docs/conventions.md` explains them. */
const WORDS: readonly Rule[] = [
  {
    pattern: /\b(?:tell|tells|telling|told)\b(?![^.]{0,40}\bapart\b)/i,
    better: 'report, log, notify, return, send, show',
  },
  { pattern: /\banew\b/i, better: 'again, new' },
  { pattern: /\bshall\b/i, better: 'must, will' },
  { pattern: /\bjust now\b/i, better: 'now, currently' },
  {
    pattern: /(?:\bnot?\b|n't|\bnobody\b|\bnothing\b|\bnone\b)[^.;:]{0,60}\bany ?more\b/i,
    better: 'no longer',
  },
  { pattern: /\bwho(?:ever|soever)\b/i, better: 'the caller, the member, the operator' },
  { pattern: /\bdear(?:er|est)?\b/i, better: 'expensive' },
  { pattern: /\bso long\b/i, better: 'during this time, until' },
  { pattern: /\breckon(?:s|ed|ing)?\b/i, better: 'compute, expect' },
  { pattern: /\bmend(?:s|ed|ing)?\b/i, better: 'fix, repair' },
];

/** First words that make a sentence a fragment. A question may begin with "What". */
const OPENINGS: readonly Rule[] = [
  { pattern: /^Of\b/, better: 'a subject, such as "The files of ..."' },
  { pattern: /^So\b/, better: 'a subject; "Therefore" if it is a conclusion' },
  { pattern: /^What\b(?!.*\?$)/, better: 'a noun, such as "The files that ..."' },
];

/** Returns everything in a passage that breaks a rule. Code between backticks is not prose. */
export function offencesIn({ text, hasSentences }: Passage): readonly Offence[] {
  const prose = text.replaceAll(/`[^`]*`/g, '`');
  const words = WORDS.flatMap(({ pattern, better }) =>
    [...prose.matchAll(new RegExp(pattern, 'gi'))].map(([found]) => ({ found, better })),
  );
  if (!hasSentences) return words;
  const openings = sentencesOf(prose).flatMap((sentence) =>
    OPENINGS.filter(({ pattern }) => pattern.test(sentence)).map(({ better }) => ({
      found: sentence.slice(0, 40),
      better,
    })),
  );
  return [...words, ...openings];
}

function sentencesOf(text: string): readonly string[] {
  return text
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.?!:]) (?=[A-Z])/)
    .map((sentence) => sentence.trim());
}

/** Returns the comments, test names, log messages and error texts of a source file. */
export function passagesOfSource(path: string, text: string): readonly Passage[] {
  const { comments, program } = parseSync(path, text);
  const passages: Passage[] = commentsOf(comments, text);
  const add = (node: unknown): void => {
    const literal = textOf(node);
    if (literal !== undefined) passages.push({ text: literal, hasSentences: false });
  };
  new Visitor({
    CallExpression: ({ callee, arguments: given }) => {
      if (isTestName(callee)) add(given[0]);
      if (isLog(callee)) add(given[1]);
    },
    NewExpression: ({ callee, arguments: given }) => {
      if (callee.type === 'Identifier' && callee.name.endsWith('Error')) given.slice(0, 2).forEach(add);
    },
  }).visit(program);
  return passages;
}

/** Returns the prose of a Markdown document: no code blocks, one passage for each paragraph, item or cell. */
export function passagesOfDocument(text: string): readonly Passage[] {
  return text
    .replaceAll(/^ *```.*?^ *```$/gms, '')
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\|/)
    .map((part) => ({ text: part.replace(/^[\s>#*-]*(?:\d+\. )?/, ''), hasSentences: !/^\s*#/.test(part) }))
    .filter(({ text: part }) => part !== '');
}

/** Returns everything that is wrong with the subject of a commit. */
export function problemsOfSubject(subject: string): readonly string[] {
  const [first = ''] = subject.split(' ');
  return [
    ...(subject.length > 72 ? [`it has ${subject.length} characters, and 72 are allowed`] : []),
    ...(/^[A-Z]/.test(subject) ? [] : ['it does not start with a capital letter']),
    ...(subject.endsWith('.') ? ['it ends with a full stop'] : []),
    ...(/^\S+( \S+)?: /.test(subject) ? ['it starts with an area rather than with an imperative'] : []),
    ...(isImperative(first) ? [] : [`"${first}" is not an imperative`]),
    ...offencesIn({ text: subject, hasSentences: true }).map(
      ({ found, better }) => `"${found}" (better: ${better})`,
    ),
  ];
}

/** Verbs in the imperative that look like another verb form. */
const VERBS: ReadonlySet<string> = new Set([
  'Bring',
  'Embed',
  'Exceed',
  'Feed',
  'Focus',
  'Need',
  'Proceed',
  'Seed',
]);
const NO_VERBS: ReadonlySet<string> = new Set([
  'A',
  'An',
  'The',
  'Of',
  'So',
  'What',
  'This',
  'That',
  'Tests',
]);

function isImperative(word: string): boolean {
  if (VERBS.has(word)) return true;
  return !NO_VERBS.has(word) && !/(?:ing|ed|[^s]s)$/.test(word);
}

/** Returns the comments; consecutive line comments count as one. Directives for tools are not prose. */
function commentsOf(comments: readonly Comment[], text: string): Passage[] {
  const passages: { text: string; hasSentences: true }[] = [];
  let endedAt = -1;
  for (const { type, value, start, end } of comments) {
    const prose = value.replaceAll(/^\s*\*+ ?/gm, '').trim();
    const last = passages.at(-1);
    const continues = type === 'Line' && endedAt >= 0 && /^\s*$/.test(text.slice(endedAt, start));
    if (continues && last) last.text += ` ${prose}`;
    else passages.push({ text: prose, hasSentences: true });
    endedAt = type === 'Line' ? end : -1;
  }
  return passages;
}

interface Node {
  readonly type: string;
}

const TEST_FUNCTIONS: ReadonlySet<string> = new Set(['test', 'it', 'describe']);
const LEVELS: ReadonlySet<string> = new Set(['debug', 'info', 'warn', 'error']);

/** Returns whether the callee is `test`, `test.each(...)`, `describe.skipIf(...)` and so on. */
function isTestName(callee: Node): boolean {
  if (callee.type === 'Identifier') return TEST_FUNCTIONS.has((callee as Node & { name: string }).name);
  if (callee.type === 'CallExpression') return isTestName((callee as Node & { callee: Node }).callee);
  return callee.type === 'MemberExpression' && isTestName((callee as Node & { object: Node }).object);
}

function isLog(callee: Node): boolean {
  if (callee.type !== 'MemberExpression') return false;
  const { property } = callee as Node & { property: Node & { name?: string } };
  return LEVELS.has(property.name ?? '');
}

function textOf(node: unknown): string | undefined {
  const literal = node as
    | { type: 'Literal'; value: unknown }
    | { type: 'TemplateLiteral'; quasis: readonly { value: { raw: string } }[] }
    | undefined;
  if (literal?.type === 'Literal') return typeof literal.value === 'string' ? literal.value : undefined;
  return literal?.type === 'TemplateLiteral'
    ? literal.quasis.map(({ value }) => value.raw).join('…')
    : undefined;
}
