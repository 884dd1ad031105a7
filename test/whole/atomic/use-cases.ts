import type { Database } from '../../../db/database.ts';
import type { JobRow } from '../../../db/schema/jobs.ts';
import { Access } from '../../../src/bot/people/access/access.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { micros } from '../../../src/base/money.ts';
import { BudgetRules } from '../../../src/bot/money/budgets/budget-rules.ts';
import { GuildBudgets } from '../../../src/bot/money/budgets/guild-budgets.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { SessionBooks, type SessionRequest } from '../../../src/bot/sessions/session-books.ts';
import { SessionTicket } from '../../../src/media-api/session-ticket.ts';
import { ConsentStore } from '../../../src/bot/people/members/consent-store.ts';
import { Departures } from '../../../src/bot/people/members/departures.ts';
import { PrivacyDesk } from '../../../src/bot/people/members/privacy-desk.ts';
import { Operator } from '../../../src/bot/people/operator/operator.ts';
import { settleHold } from '../../../src/bot/money/reconciliation/settle-open-holds.ts';
import { anOrigin } from '../../helpers/an-origin.ts';
import type { Trx } from '../../../db/schema.ts';
import { useDatabase } from '../../db/use-database.ts';
import { type Pipeline, usePipeline } from '../../bot/jobs/use-pipeline.ts';
import { aHold } from '../../bot/money/ledger/a-hold.ts';

/** The bot's components that change a database, all with one empty database. They start no timers of their own. */
export interface Parts {
  readonly db: Database;
  readonly clock: FakeClock;
  readonly ledger: Ledger;
  readonly books: SessionBooks;
  readonly pipeline: Pipeline;
  readonly access: Access;
  readonly budgets: GuildBudgets;
  readonly consents: ConsentStore;
  readonly privacy: PrivacyDesk;
  readonly departures: Departures;
  readonly operator: Operator;
}

/** A change that must happen completely or not at all. */
export interface UseCase {
  readonly name: string;
  /** Creates the state that the change needs. */
  readonly given?: (parts: Parts) => Promise<unknown>;
  readonly act: (parts: Parts) => Promise<unknown>;
  /** A repeat changes nothing, though it may be refused. Default: repeats are not tested. */
  readonly repeats?: 'harmless';
}

const TEN_A_MONTH = { limit: micros(10_000_000), period: 'month', timeZone: 'UTC' } as const;
const GUILD = '3';
const MEMBER = '5';
const member = anOrigin({ guildId: GUILD, userId: MEMBER });
const admin = anOrigin({ guildId: GUILD, userId: '6', isAdmin: true });
const voice: SessionRequest = {
  guildId: GUILD,
  channelId: '4',
  userId: MEMBER,
  roleIds: [],
  capability: 'voice_swap',
  voiceId: 'mirror',
  seconds: 60,
};
const session = { id: 'session', guild_id: GUILD };
const ticket = SessionTicket.read(
  {
    session_id: 'service_session',
    stream_url: 'ws://127.0.0.1/session',
    session_token: 'token',
    max_duration_sec: 60,
    max_cost_usd: '0.06',
  },
  { allowInsecure: false },
);

export async function useParts(): Promise<Parts> {
  const db = await useDatabase();
  const clock = new FakeClock();
  const ledger = new Ledger({ clock, defaultBudget: TEN_A_MONTH });
  const rules = new BudgetRules({ db, clock, timeZone: 'UTC' });
  const budgets = new GuildBudgets({ db, clock, ledger, rules, usual: { ...TEN_A_MONTH, allowance: null } });
  const access = await Access.open({ db, clock });
  return {
    db,
    clock,
    ledger,
    access,
    budgets,
    books: new SessionBooks({
      db,
      ledger,
      quotes: { ofSession: () => ({ hold: micros(50_000), snapshot: '{}' }) },
      clock,
      owner: 'process',
      leaseMs: 1_000,
      firstLookMs: 1_000,
    }),
    pipeline: await usePipeline({ db, start: false }),
    consents: new ConsentStore({ db, clock }),
    privacy: new PrivacyDesk({
      db,
      clock,
      pseudonymOf: (userId) => access.pseudonymOf(userId),
      onRemoval: () => undefined,
      resultKeepMs: 1_000,
    }),
    departures: new Departures({
      db,
      clock,
      log: silentLogger,
      presence: { isIn: () => false, watch: () => ({ [Symbol.dispose]: () => undefined }) },
      keepMs: 0,
    }),
    operator: new Operator({
      db,
      clock,
      log: silentLogger,
      ledger,
      account: { balance: () => Promise.reject(new TypeError('This test does not use the account')) },
      operators: { rightsOf: () => Promise.resolve('change' as const) },
      names: { nameOf: () => null, ids: () => [] },
      allowances: budgets,
      channel: {
        sendOperatorAlert: () => Promise.reject(new TypeError('This test does not notify the operator')),
      },
      channelId: null,
      lowBalance: micros(0),
    }),
  };
}

const inTransaction =
  (work: (parts: Parts, trx: Trx) => Promise<unknown>) =>
  (parts: Parts): Promise<unknown> =>
    parts.db.transaction(`guild:${GUILD}`, (trx) => work(parts, trx));
const ofMember = { ...aHold('job', micros(40_000)), guildId: GUILD, userId: MEMBER };

const LEDGER: readonly UseCase[] = [
  {
    name: 'a hold',
    act: inTransaction(({ ledger }, trx) => ledger.hold(trx, ofMember)),
    repeats: 'harmless',
  },
  {
    name: 'a charge above its hold',
    given: inTransaction(({ ledger }, trx) => ledger.hold(trx, ofMember)),
    act: inTransaction(({ ledger }, trx) =>
      ledger.post(trx, { subject: 'job', charged: micros(90_000), asOfMs: 1 }),
    ),
    repeats: 'harmless',
  },
  {
    name: 'a correction of a charge',
    given: inTransaction(async ({ ledger }, trx) => {
      await ledger.hold(trx, ofMember);
      await ledger.post(trx, { subject: 'job', charged: micros(30_000), asOfMs: 1 });
    }),
    act: inTransaction(({ ledger }, trx) =>
      ledger.post(trx, { subject: 'job', charged: micros(20_000), asOfMs: 2 }),
    ),
    repeats: 'harmless',
  },
  {
    name: 'a hold that is released',
    given: inTransaction(({ ledger }, trx) => ledger.hold(trx, ofMember)),
    act: inTransaction(({ ledger }, trx) => ledger.void(trx, { subject: 'job' })),
    repeats: 'harmless',
  },
  {
    name: 'a hold that is changed',
    given: inTransaction(({ ledger }, trx) => ledger.hold(trx, ofMember)),
    act: inTransaction(({ ledger }, trx) =>
      ledger.resize(trx, { subject: 'job', amount: micros(50_000), rateCard: '{}' }),
    ),
    repeats: 'harmless',
  },
  {
    name: 'a hold that is settled by comparison',
    given: inTransaction(({ ledger }, trx) => ledger.hold(trx, ofMember)),
    act: ({ db, ledger, clock }) =>
      settleHold(
        { subject: 'job', guild_id: GUILD },
        micros(30_000),
        { db, ledger, clock, log: silentLogger },
        { asOfMs: 1 },
      ),
    repeats: 'harmless',
  },
];

const reserved = ({ books }: Parts): Promise<unknown> => books.reserve('session', voice);
const opened = async (parts: Parts): Promise<void> => {
  await reserved(parts);
  await parts.books.opened('session', voice, ticket);
};
const ended = async (parts: Parts): Promise<void> => {
  await opened(parts);
  await parts.books.ended(session, { meteredMs: 20_000, reason: 'stopped' });
};
const charged =
  (amount: number) =>
  ({ books }: Parts): Promise<unknown> =>
    books.charged(session, { charged: micros(amount), reason: null, asOfMs: 1 });

const SESSIONS: readonly UseCase[] = [
  { name: 'a session that is reserved', act: reserved },
  {
    name: 'a session that was opened',
    given: reserved,
    act: ({ books }) => books.opened('session', voice, ticket),
    repeats: 'harmless',
  },
  {
    name: 'a session that was not opened',
    given: reserved,
    act: ({ books }) => books.notOpened('session', GUILD),
    repeats: 'harmless',
  },
  {
    name: 'a session that has ended',
    given: opened,
    act: ({ books }) => books.ended(session, { meteredMs: 20_000, reason: 'stopped' }),
  },
  {
    name: 'a session whose process died',
    given: opened,
    act: async ({ books, db }) =>
      books.crashed(await db.kysely.selectFrom('sessions').selectAll().executeTakeFirstOrThrow()),
    repeats: 'harmless',
  },
  { name: 'the charge of a session', given: ended, act: charged(20_000), repeats: 'harmless' },
  { name: 'a session that cost nothing', given: ended, act: charged(0), repeats: 'harmless' },
  {
    name: 'a session whose charge is never learned',
    given: ended,
    act: ({ books }) => books.review(session),
    repeats: 'harmless',
  },
];

const onlyJob = ({ db }: Parts): Promise<JobRow> =>
  db.kysely.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
const accepted = ({ pipeline }: Parts): Promise<unknown> => pipeline.accept();
const acknowledged = ({ pipeline }: Parts): Promise<unknown> => pipeline.run();

const JOBS: readonly UseCase[] = [
  { name: 'a command that is accepted', act: accepted, repeats: 'harmless' },
  {
    name: 'a command that was not acknowledged',
    given: accepted,
    act: async (parts) => parts.pipeline.jobs.intake.abandon((await onlyJob(parts)).id),
    repeats: 'harmless',
  },
  {
    name: 'a job that its member cancels',
    given: acknowledged,
    act: async (parts) => parts.pipeline.jobs.desk.cancel(member, (await onlyJob(parts)).id),
    repeats: 'harmless',
  },
  {
    name: 'a webhook',
    given: acknowledged,
    act: async (parts) => {
      const { callback_token: callbackToken } = await onlyJob(parts);
      const body = Buffer.from('{}');
      const delivery = { deliveryId: 'delivery', serviceJobId: 'srv_1', callbackToken, body };
      await parts.pipeline.jobs.inbox.receive(delivery);
    },
    repeats: 'harmless',
  },
];

const CAP = { target: { kind: 'guild' }, capability: null, period: 'day' } as const;
const ADMINS: readonly UseCase[] = [
  { name: 'a budget that is set', act: ({ budgets }) => budgets.set(admin, { ...CAP, limit: micros(1) }) },
  {
    name: 'a budget that is cleared',
    given: ({ budgets }) => budgets.set(admin, { ...CAP, limit: micros(1) }),
    act: ({ budgets }) => budgets.clear(admin, CAP),
  },
  {
    name: 'settings of budgets',
    act: ({ budgets }) =>
      budgets.change(admin, { timeZone: 'Asia/Tokyo', confirmAbove: micros(5), alertsChannelId: '7' }),
    repeats: 'harmless',
  },
  {
    name: 'a role that manages budgets',
    act: ({ budgets }) => budgets.addManager(admin, '8'),
    repeats: 'harmless',
  },
  {
    name: 'a rule of access',
    act: ({ access }) => access.set(admin, { kind: 'role', target: '8', effect: 'deny' }),
    repeats: 'harmless',
  },
  {
    name: 'a block that is lifted',
    given: ({ access }) => access.set(admin, { kind: 'member', target: MEMBER, effect: 'deny' }),
    act: ({ access }) => access.clear(admin, { kind: 'member', target: MEMBER }),
    repeats: 'harmless',
  },
  {
    name: "an operator's allowance of another period",
    given: ({ operator }) => operator.desk.allow(admin, GUILD, { limit: micros(9), period: 'day' }),
    act: ({ operator }) => operator.desk.allow(admin, GUILD, { limit: micros(8), period: 'week' }),
  },
  {
    name: 'a hold that the operator ends',
    given: inTransaction(async ({ ledger }, trx) => {
      await ledger.hold(trx, ofMember);
      await ledger.review(trx, { subject: 'job' });
    }),
    act: ({ operator }) => operator.desk.resolve(admin, 'job', micros(10_000)),
    repeats: 'harmless',
  },
  {
    name: "an operator's pause",
    act: ({ operator }) => operator.desk.pause(admin, GUILD),
    repeats: 'harmless',
  },
];

const PEOPLE: readonly UseCase[] = [
  {
    name: 'an avatar that everyone may use',
    given: ({ consents }) => consents.answerAvatar(member, { allow: 'user', userId: '9' }),
    act: ({ consents }) => consents.answerAvatar(member, { allow: 'everybody' }),
  },
  {
    name: 'a member who deletes their data',
    given: async (parts) => {
      await acknowledged(parts);
      await reserved(parts);
      await parts.consents.answerAvatar(member, { allow: 'everybody' });
      await parts.consents.setNeverSwap(MEMBER, true);
      await parts.access.set(admin, { kind: 'member', target: MEMBER, effect: 'deny' });
    },
    act: ({ privacy }) => privacy.remove(MEMBER, { keepNeverSwap: false }),
  },
  {
    name: 'the data of a server that was left',
    given: async (parts) => {
      await acknowledged(parts);
      await parts.departures.note(GUILD, false);
      await parts.clock.advance(1);
    },
    act: ({ departures }) => departures.look(),
  },
];

export const USE_CASES: readonly UseCase[] = [...LEDGER, ...SESSIONS, ...JOBS, ...ADMINS, ...PEOPLE];
