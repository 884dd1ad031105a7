import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useAccount } from './use-account.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CENT = 10_000;

/** A record of another user near the bot's submission. */
const strangers = fc.array(
  fc.record({
    /** The number of minutes from the bot's first submission attempt to the creation of the record. */
    minutes: fc.integer({ min: -30, max: 300 }),
    cents: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(4_000)),
    isAlike: fc.boolean(),
    /** Whether the record appears in the log only after the first comparison. */
    isLate: fc.boolean(),
  }),
  { maxLength: 4 },
);

const own = fc.record({
  cents: fc.integer({ min: 4, max: 8 }),
  /** The quote as a multiple of the real cost. */
  quoted: fc.constantFrom(0.9, 1, 1.2),
  isConfirmed: fc.boolean(),
  isMade: fc.boolean(),
});

/** Returns whether a stranger's record cannot be distinguished from the record of the bot's call. */
function isAlike(stranger: { minutes: number; cents: number; isAlike: boolean }, quoted: number): boolean {
  const { minutes, cents } = stranger;
  return stranger.isAlike && minutes >= -5 && minutes <= 10 && cents >= quoted / 1.25 && cents <= 10;
}

test.each([true, false])(
  'whatever strangers do near a submit, no guild pays more for it than its quote, if ids are equal: %s',
  async (hasEqualIds) => {
    await fc.assert(
      fc.asyncProperty(own, strangers, async (ours, others) => {
        const bench = await useAccount({ hasEqualIds });
        for (let index = 0; index < 4; index++) await bench.job(`usual_${index}`, { guildId: 'usual' });
        await bench.clock.advance(HOUR_MS);
        const triedAtMs = bench.clock.now();
        const isThere = ours.isConfirmed || ours.isMade;
        const quotedCents = Math.round(ours.cents * ours.quoted);
        const subject = await bench.job('ours', {
          books: 'review',
          cents: isThere ? ours.cents : null,
          quotedCents,
          row: {
            outcome: 'unknown',
            ...(ours.isConfirmed ? {} : { service_job_id: null, finished_at_ms: null }),
          },
        });
        // The service has forgotten the job, so only the log has its charge.
        bench.jobs.clear();
        const appear = async (late: boolean): Promise<void> => {
          for (const { minutes, cents, ...other } of others.filter(({ isLate }) => isLate === late)) {
            const kind = other.isAlike ? { feature: 'photo_swap', endpoint: 'face-swap-image' } : {};
            await bench.foreign(cents, {
              ...kind,
              created_at: new Date(triedAtMs + minutes * MINUTE_MS).toISOString(),
            });
          }
        };
        await appear(false);
        await bench.clock.advance(6 * HOUR_MS);
        for (let pass = 0; pass < 2; pass++) await bench.compare();
        await appear(true);
        for (let pass = 0; pass < 2; pass++) await bench.compare();

        const hold = await bench.hold(subject);
        const paid = hold.charged_micros / CENT;
        const alike = others.filter((other) => isAlike(other, quotedCents)).map(({ cents }) => cents);
        const own = isThere ? [ours.cents] : [];
        // Without other evidence, a call that the service never confirmed pays for nothing.
        if (!ours.isConfirmed) expect(paid).toBe(0);
        else if (hasEqualIds) expect([0, ...own]).toContain(paid);
        else expect([0, ...own, ...alike]).toContain(paid);
        expect(paid).toBeLessThanOrEqual(10);
        // The sum of foreign use and the guild's spending never exceeds what the service charged.
        const report = await bench.compare();
        const truth = others.reduce((sum, { cents }) => sum + cents, 0) + (own[0] ?? 0) + 16;
        expect(report.service.spent).toBe(truth * CENT);
        expect(report.books.spent + report.books.foreign + report.difference).toBe(truth * CENT);
        expect(report.difference).toBeGreaterThanOrEqual(0);
        expect(await bench.differences()).toEqual([]);
      }),
      { numRuns: 20 },
    );
  },
  120_000,
);
