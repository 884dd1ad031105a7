import { sql } from 'kysely';
import type { Database } from '../../../../db/database.ts';
import { isPostgres } from '../../../../db/dialect.ts';
import { withdrawJobs } from '../../../../db/queries/personal-data.ts';
import { claimRemoval, insertRemoval } from '../../../../db/queries/removals.ts';
import type { RemovalKind } from '../../../../db/schema/removals.ts';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { Access } from '../../../../src/bot/people/access/access.ts';
import { FaceBin } from '../../../../src/bot/people/members/face-bin.ts';
import { FaceFiles } from '../../../../src/bot/people/members/face-files.ts';
import { PrivacyDesk } from '../../../../src/bot/people/members/privacy-desk.ts';
import { removePart } from '../../../../src/bot/people/members/remove-part.ts';
import { useDatabase } from '../../../db/use-database.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { FILLED, type Row, type Subject } from './filled-tables.ts';
import type { PostedMessage } from '../../../../src/bot/jobs/job-publisher.ts';

export interface Column {
  readonly table: string;
  readonly column: string;
}

export async function columnsOf({ kysely }: Database): Promise<readonly Column[]> {
  const listed = isPostgres(kysely)
    ? sql<Column>`select table_name as "table", column_name as "column" from information_schema.columns
        where table_schema = 'public'`
    : sql<Column>`select m.name as "table", c.name as "column" from sqlite_schema m join pragma_table_info(m.name) c
        where m.type = 'table' and m.name not like 'sqlite_%'`;
  return (await listed.execute(kysely)).rows;
}

export async function rowsOf({ kysely }: Database, table: string): Promise<Record<string, unknown>[]> {
  return kysely
    .selectFrom(table as 'jobs')
    .selectAll()
    .execute();
}

/** Inserts the row of `FILLED` for a table, with changes. */
export async function put(
  { kysely }: Database,
  table: string,
  of: Subject,
  changes: Row = {},
): Promise<void> {
  await kysely
    .insertInto(table as 'jobs')
    .values({ ...FILLED[table]?.(of), ...changes } as never)
    .execute();
}

/** Inserts a row into every table, unless the row already exists. */
export async function fill(
  { kysely }: Database,
  of: Subject,
  except: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const [table, rowOf] of Object.entries(FILLED)) {
    if (except.has(table)) continue;
    await kysely
      .insertInto(table as 'jobs')
      .values(rowOf(of) as never)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Returns `table.column` for every cell that contains the text. */
export async function cellsWith(db: Database, text: string): Promise<string[]> {
  const found = new Set<string>();
  for (const { table, column } of await columnsOf(db)) {
    for (const row of await rowsOf(db, table)) {
      const cell = row[column];
      const words = cell instanceof Uint8Array ? Buffer.from(cell).toString() : String(cell);
      if (words.includes(text)) found.add(`${table}.${column}`);
    }
  }
  return [...found].toSorted();
}

export interface Removal {
  readonly db: Database;
  readonly clock: FakeClock;
  readonly access: Access;
  readonly privacy: PrivacyDesk;
  /** The messages that the chat was asked to delete, and the jobs whose files were removed. */
  readonly asked: PostedMessage[];
  readonly cleared: string[];
  /** The chat's response to a request to delete a message. Default: the message was deleted. */
  readonly chat: { answer: (message: PostedMessage) => Promise<boolean> };
  readonly begin: (kind: RemovalKind, subjectId: string) => Promise<void>;
  /** Runs one batch of the removal that is due. Returns null if no removal is due. */
  readonly part: () => Promise<'again' | 'wait' | 'done' | null>;
  readonly finish: () => Promise<void>;
}

/** Creates an empty database, and removals that run on it one batch at a time. */
export async function useRemoval(): Promise<Removal> {
  const db = await useDatabase();
  const clock = new FakeClock(1_000_000);
  const faceBin = new FaceBin({ db, clock, files: await FaceFiles.open(await useFolder()) });
  const access = await Access.open({ db, clock });
  const done = { onRemoval: () => undefined, resultKeepMs: 0 };
  const pseudonymOf = (userId: string): string => access.pseudonymOf(userId);
  const privacy = new PrivacyDesk({ db, clock, pseudonymOf, ...done });
  const asked: PostedMessage[] = [];
  const cleared: string[] = [];
  const chat: Removal['chat'] = { answer: () => Promise.resolve(true) };
  const options = {
    db,
    clock,
    log: silentLogger,
    faceBin,
    pseudonymOf,
    publisher: {
      remove(message: PostedMessage): Promise<boolean> {
        asked.push(message);
        return chat.answer(message);
      },
    },
    removeJobFiles(jobIds: readonly string[]): Promise<void> {
      cleared.push(...jobIds);
      return Promise.resolve();
    },
  };
  const part: Removal['part'] = async () => {
    const removal = await claimRemoval(db.kysely, { nowMs: clock.now(), retryAtMs: clock.now() });
    return removal ? removePart(removal, options, new AbortController().signal) : null;
  };
  const finish = async (): Promise<void> => {
    for (let parts = 0; parts < 20; parts++) if ((await part()) === null) return;
    throw new Error('The removal does not end');
  };
  const begin: Removal['begin'] = async (kind, subjectId) => {
    if (kind === 'member') return privacy.remove(subjectId, { keepNeverSwap: false });
    await db.transaction(`guild:${subjectId}`, async (trx) => {
      await insertRemoval(trx, { kind, subjectId, secret: 's', nowMs: clock.now() });
      await withdrawJobs(trx, { kind, subjectId, untilMs: clock.now() }, clock.now());
    });
  };
  return { db, clock, access, privacy, asked, cleared, chat, begin, part, finish };
}
