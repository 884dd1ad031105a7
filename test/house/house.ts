/**
 * A room, and what it may import. All names are relative to the table's folder. An allowed name stands
 * for a folder with everything in it, or for one file. Loose files in the table's folder belong to no room and
 * follow no rule.
 */
export interface Room {
  readonly name: string;
  /** Rooms and files that are imported as values. */
  readonly imports?: readonly string[];
  /** Rooms and files that are imported by `import type` only. */
  readonly types?: readonly string[];
  /** Rooms and files that are imported when needed, by `import()`. */
  readonly dynamic?: readonly string[];
}

/**
 * The rooms of a folder, lowest first: a room may only import rooms that are listed above it. A better design
 * means a change here and in `docs/architecture.md`, with the reason in the commit.
 */
export type Table = readonly Room[];

/** The buildings. Everything that two of them both need is in a building listed above both. */
const BUILDINGS: Table = [
  { name: 'src/base' },
  { name: 'src/audio' },
  { name: 'src/media-api', imports: ['src/base'] },
  { name: 'db', imports: ['src/base'] },
  {
    name: 'src/bot',
    imports: ['src/base', 'src/audio', 'src/media-api', 'db'],
  },
  { name: 'commands', imports: ['src/base', 'src/bot/discord'], types: ['src/bot'] },
  {
    name: 'src/compose',
    imports: ['src/base', 'src/media-api', 'db', 'src/bot', 'commands/all.ts'],
  },
  {
    name: 'src/index.ts',
    imports: ['src/base', 'src/media-api', 'src/bot', 'src/compose'],
  },
  // The media server and the sandbox share only the base, the audio code and the API's wire format with the bot.
  { name: 'src/media-server', imports: ['src/base', 'src/audio', 'src/media-api/wire.ts'] },
  { name: 'src/sandbox', imports: ['src/base', 'src/audio'] },
  {
    name: 'src/program',
    imports: [
      'src/base',
      'src/audio',
      'src/media-api',
      'src/bot/settings',
      'src/compose',
      'commands/all.ts',
      // For the program's roles `ledger` and `register`, which work without a bot.
      'db/database.ts',
      'src/bot/money/ledger/verify-ledger.ts',
      'src/bot/discord/wire/register-by-token.ts',
    ],
    types: ['src/bot/jobs/run/worker.ts'],
    dynamic: ['src/media-server', 'src/sandbox'],
  },
  {
    name: 'src/main.ts',
    imports: ['src/base', 'src/bot/settings'],
    dynamic: ['src/program'],
  },
];

const BOT: Table = [
  { name: 'settings' },
  { name: 'media' },
  { name: 'money' },
  { name: 'jobs', imports: ['media'], types: ['money'] },
  { name: 'people', imports: ['settings', 'money'], types: ['media', 'jobs'] },
  { name: 'sessions', imports: ['settings', 'media'], types: ['money', 'jobs', 'people'] },
  { name: 'web', types: ['jobs', 'sessions'] },
  { name: 'discord', imports: ['sessions'], types: ['money', 'jobs', 'people'] },
];

const MONEY: Table = [
  { name: 'caps' },
  { name: 'ledger', imports: ['caps'] },
  { name: 'budgets', imports: ['caps'], types: ['ledger'] },
  { name: 'overruns', types: ['ledger', 'budgets'] },
  { name: 'spend', imports: ['caps'], types: ['budgets', 'ledger'] },
  { name: 'alerts', imports: ['caps'], types: ['overruns', 'ledger'] },
  { name: 'charts', imports: ['spend'], types: ['caps'] },
  { name: 'reconciliation', imports: ['ledger'] },
];

const JOBS: Table = [
  { name: 'prices' },
  { name: 'inputs', imports: ['prices'] },
  { name: 'results', types: ['inputs'] },
  { name: 'steps', imports: ['prices', 'inputs', 'results'] },
  { name: 'run', imports: ['steps'], types: ['prices'] },
  { name: 'intake', imports: ['prices', 'inputs', 'run'] },
  { name: 'desk', imports: ['inputs', 'results', 'steps', 'run'], types: ['intake'] },
];

const DISCORD: Table = [
  { name: 'wire' },
  { name: 'words', types: ['wire'] },
  { name: 'voice', imports: ['wire'] },
  { name: 'interactions', imports: ['wire', 'words'] },
  { name: 'cards', imports: ['wire', 'words', 'interactions'] },
];

const WORDS: Table = [
  { name: 'forms' },
  { name: 'notices', imports: ['forms'] },
  { name: 'replies', imports: ['forms', 'notices'] },
  { name: 'picks', imports: ['forms', 'replies'] },
];

const MEDIA: Table = [
  { name: 'sounds' },
  { name: 'clips', imports: ['sounds'] },
  { name: 'pictures' },
  { name: 'marks' },
  { name: 'fit' },
  { name: 'pool', imports: ['fit', 'marks'] },
];

/** Two kinds of live sessions, which know nothing about each other. */
const SESSIONS: Table = [{ name: 'voice-swap' }, { name: 'live-swap' }];
/** Three independent rooms. */
const PEOPLE: Table = [{ name: 'access' }, { name: 'members' }, { name: 'operator' }];

/** The tables, by the folder whose rooms they list; the empty name stands for the root of the repository. */
export const HOUSE: Readonly<Record<string, Table>> = {
  '': BUILDINGS,
  'src/bot': BOT,
  'src/bot/money': MONEY,
  'src/bot/jobs': JOBS,
  'src/bot/people': PEOPLE,
  'src/bot/sessions': SESSIONS,
  'src/bot/discord': DISCORD,
  'src/bot/discord/words': WORDS,
  'src/bot/media': MEDIA,
};

/** Pairs of sibling folders that still import each other. The list may only shrink. */
export const CIRCLES: readonly string[] = ['src/sandbox/chat <-> src/sandbox/voice'];

/** The largest number of files that may be allowed one by one, in all tables together. */
export const FILES_ALLOWED_MAX = 10;
