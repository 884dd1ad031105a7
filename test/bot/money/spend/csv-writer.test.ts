import { expect, test } from 'vitest';
import { micros } from '../../../../src/base/money.ts';
import { CSV_HEADER, type SpendLine, csvWriter } from '../../../../src/bot/money/spend/csv-writer.ts';

const LINE: SpendLine = {
  atMs: Date.parse('2026-10-25T01:30:05Z'),
  userId: '1234567890123456789',
  capability: 'photo_swap',
  state: 'posted',
  setAside: micros(0),
  charged: micros(1_234_567),
  overrun: micros(1_194_567),
  jobId: 'job_abc',
};

test('an exported line has the date of the zone, all decimals, and the member as a mention', () => {
  const lines = [LINE, { ...LINE, atMs: Date.parse('2026-10-24T22:30:05Z'), charged: micros(0) }];
  expect(CSV_HEADER + lines.map(csvWriter('Europe/Berlin')).join('')).toBe(
    [
      'date,time,member,capability,state,set_aside_usd,charged_usd,above_hold_usd,job_id',
      '2026-10-25,02:30:05+01:00,<@1234567890123456789>,photo_swap,posted,0.000000,1.234567,1.194567,job_abc',
      '2026-10-25,00:30:05+02:00,<@1234567890123456789>,photo_swap,posted,0.000000,0.000000,1.194567,job_abc',
      '',
    ].join('\r\n'),
  );
  expect(csvWriter('UTC')(LINE)).toContain('2026-10-25,01:30:05+00:00,');
});

test.each(['=1+1', '+1', '-1+2', '@SUM(A1)', '\t=1', '\r=1', '|calc', '%0A'])(
  'no spreadsheet interprets %j as a formula',
  (hostile) => {
    for (const key of ['userId', 'capability', 'state', 'jobId'] as const) {
      const text = csvWriter('UTC')({ ...LINE, [key]: hostile });
      expect(text).toMatch(/,"?'/);
      expect(text.split('\r\n').at(-1)).toBe('');
    }
  },
);

test('quotes and separators of a name stay within its field', () => {
  const text = csvWriter('UTC')({ ...LINE, capability: 'a"b,c\nd' });
  expect(text).toContain(',"a""b,c\nd",');
});
