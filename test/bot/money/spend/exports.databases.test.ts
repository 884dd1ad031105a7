import { expect, test } from 'vitest';
import { sumAccounts } from '../../../../db/queries/ledger-entries.ts';
import { SpendError } from '../../../../src/bot/money/spend/spend-error.ts';
import { ADMIN, useDesk } from './use-desk.ts';

const PLENTY_BYTES = 1_000_000;
const ATTACHMENT_OF_TWO_LINES_BYTES = 250;
const START_MS = Date.parse('2026-11-01T00:00:00Z');

interface Line {
  readonly jobId: string;
  readonly member: string;
  readonly charged: number;
}

function linesOf(csv: string): Line[] {
  const rows = csv.trimEnd().split('\r\n').slice(1);
  return rows.map((row) => {
    const cells = row.split(',');
    return { jobId: cells[8] ?? '', member: cells[2] ?? '', charged: Math.round(Number(cells[6]) * 1e6) };
  });
}

test('an export contains every job once, in order, and adds up to the total of the ledger', async () => {
  const { bench, desk, spend } = await useDesk('Asia/Kathmandu');
  // These are more holds than fit on one page, and many of them have the same time.
  for (let job = 0; job < 450; job += 1) await spend(START_MS + Math.floor(job / 150) * 900_000, 1_000 + job);
  const { csv, rows, isCut } = await desk.export(ADMIN, { period: 'total' }, PLENTY_BYTES);
  const lines = linesOf(csv);
  const { spent } = await sumAccounts(bench.database.kysely, 'guild');

  expect([rows, isCut]).toEqual([450, false]);
  expect(new Set(lines.map(({ jobId }) => jobId)).size).toBe(450);
  expect(lines.reduce((sum, { charged }) => sum + charged, 0)).toBe(spent);
  const hundreds = lines.map(({ jobId }) => Math.floor((Number(jobId.slice('job_'.length)) - 1) / 150));
  expect(hundreds).toEqual(hundreds.toSorted((a, b) => a - b));
});

test('the amounts set aside in an export add up to the current total, whatever happened to the other holds', async () => {
  const { bench, desk, spend } = await useDesk('UTC');
  await spend(START_MS, 1_000);
  await spend(START_MS, 1_000);
  for (const subject of ['running', 'unclear', 'cancelled', 'late']) await bench.hold(subject, 2_000);
  await bench.review('unclear');
  await bench.void('cancelled');
  await bench.void('late');
  await bench.post('late', 500);

  const { csv } = await desk.export(ADMIN, { period: 'total' }, PLENTY_BYTES);

  const rows = csv
    .trimEnd()
    .split('\r\n')
    .map((row) => row.split(','));
  expect(rows[0]?.slice(4, 7)).toEqual(['state', 'set_aside_usd', 'charged_usd']);
  const amounts = new Map(rows.slice(1).map((row) => [row[8], row.slice(4, 7)]));
  expect(amounts.get('job_2')?.slice(0, 2)).toEqual(['posted', '0.000000']);
  expect(amounts.get('running')).toEqual(['pending', '0.002000', '0.000000']);
  expect(amounts.get('unclear')).toEqual(['review', '0.002000', '0.000000']);
  expect(amounts.get('cancelled')).toEqual(['voided', '0.000000', '0.000000']);
  expect(amounts.get('late')).toEqual(['voided', '0.000000', '0.000500']);
});

test('an export that is too large contains what fits, and says that it was cut', async () => {
  const { desk, spend } = await useDesk('UTC');
  for (let job = 0; job < 5; job += 1) await spend(START_MS + job * 900_000, 1_000);
  const { csv, rows, isCut } = await desk.export(ADMIN, { period: 'month' }, ATTACHMENT_OF_TWO_LINES_BYTES);

  expect([rows, isCut]).toEqual([2, true]);
  expect(csv.length).toBeLessThanOrEqual(ATTACHMENT_OF_TWO_LINES_BYTES);
  expect(linesOf(csv).map(({ jobId }) => jobId)).toEqual(['job_1', 'job_2']);
});

test('an export is limited to the member, the capability and the guild', async () => {
  const { bench, desk, spend } = await useDesk('UTC');
  await spend(START_MS, 1_000, '1', 'avatar');
  await spend(START_MS, 1_000, '1', 'lip_sync');
  await spend(START_MS, 1_000, '2', 'avatar');
  await bench.hold('job_elsewhere', 1_000, { guildId: 'other', userId: '1', capability: 'avatar' });
  const member = { ...ADMIN, isAdmin: false };

  const own = await desk.export(member, { period: 'month', capability: 'avatar' }, PLENTY_BYTES);
  const others = desk.export(member, { period: 'month', memberId: '2' }, PLENTY_BYTES);

  expect(linesOf(own.csv).map(({ jobId }) => jobId)).toEqual(['job_1']);
  await expect(others).rejects.toThrow(SpendError);
});
