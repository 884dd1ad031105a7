import { FakeClock } from '../../../helpers/fake-clock.ts';
import { Account } from '../../../../src/media-api/account.ts';
import { readAnswer } from '../../../../src/media-api/read-answer.ts';
import { MediaApiRefusal, MediaApiUnreachable } from '../../../../src/media-api/errors.ts';
import { type Job, toJob } from '../../../../src/media-api/job.ts';
import type { Transport } from '../../../../src/media-api/transport.ts';
import { Voices } from '../../../../src/media-api/voices.ts';
import { wireJob } from '../../../../src/media-api/wire.ts';
import { only } from '../../../helpers/only.ts';
import { distort, jsonText } from '../grammar/json.ts';
import type { Random } from '../random.ts';
import { type FuzzTarget, demand } from '../target.ts';

const ORIGIN = 'https://media.example';
const STATUSES = [200, 200, 200, 200, 201, 204, 301, 400, 402, 404, 429, 500, 503];
const KINDS = ['balance', 'usage', 'summary', 'voices', 'job'] as const;

/** The media service's answers: the kind of request and the status, then the body. */
export const serviceAnswers: FuzzTarget = {
  name: 'service-answers',
  generate(random) {
    const kind = random.pick(KINDS);
    const status = random.happens(75) ? 200 : random.pick(STATUSES);
    const right = status < 300 ? answerOf(kind, random) : { error: { code: 'invalid_input', message: 'no' } };
    return Buffer.from(
      `${kind} ${status}\n${jsonText(random, random.happens(45) ? distort(random, right, 8) : right)}`,
    );
  },
  async run(input) {
    const end = input.indexOf('\n');
    const [kind = '', status = ''] = input.toString('latin1', 0, Math.max(0, end)).split(' ');
    const answer = {
      status: Number(status) || 200,
      headers: { 'retry-after': status },
      body: input.subarray(end + 1),
      complete: true,
      overLimit: false,
    };
    const transport = only<Transport>({
      baseUrl: new URL(ORIGIN),
      call: async (request) => readAnswer(request, answer, new FakeClock()),
    });
    try {
      for (const amount of await amountsOf(kind, transport))
        demand(Number.isSafeInteger(amount), 'an amount or time is not a whole number');
      return 'accepted';
    } catch (error) {
      if (error instanceof MediaApiRefusal || error instanceof MediaApiUnreachable) return 'refused';
      throw error;
    }
  },
};

/** Reads the answer. Returns every amount and time in it. */
async function amountsOf(kind: string, transport: Transport): Promise<readonly number[]> {
  const account = new Account(transport);
  switch (kind) {
    case 'balance':
      return Object.values(await account.balance());
    case 'usage':
      return (await account.usage()).flatMap(({ charged, createdAtMs }) => [charged, createdAtMs]);
    case 'summary': {
      const { totalSpent, totalCalls, perFeature } = await account.usageSummary();
      return [totalSpent, totalCalls, ...perFeature.map(({ spent }) => spent)];
    }
    case 'voices': {
      const voices = await new Voices(transport).list();
      const isSafe = voices.every(
        ({ previewUrl }) => previewUrl === null || previewUrl.startsWith(`${ORIGIN}/`),
      );
      demand(isSafe, 'a preview leads away from the service');
      return [];
    }
    default: {
      const job = await transport.call<Job>({
        method: 'GET',
        target: '/jobs/1',
        action: 'read a job',
        decode: (json) => toJob(wireJob.parse(json)),
        priority: 'background',
        attemptsMax: 1,
      });
      return job.charged === null ? [] : [job.charged];
    }
  }
}

function answerOf(kind: (typeof KINDS)[number], random: Random): unknown {
  const amount = random.pick([0, 0.05, 1e-7, 12.345678, 999_999]);
  switch (kind) {
    case 'balance':
      return {
        balance_usd: amount,
        total_spent_usd: 1,
        total_topped_up_usd: 2,
        spent_this_week_usd: 0,
        spent_this_month_usd: amount,
        spent_this_year_usd: 3,
      };
    case 'usage':
      return Array.from({ length: random.count(20) }, (_none, index) => ({
        id: `u${index}`,
        endpoint: 'face-swap',
        feature: 'video_swap',
        status: random.pick(['succeeded', 'failed', 'processing']),
        charged_usd: amount,
        reason: random.pick([null, 'timed_out']),
        created_at: random.pick([
          '2026-01-01T00:00:00Z',
          '2026-01-01 00:00:00',
          '2026-01-01',
          '2026-01-01T00:00:00.123456+02:00',
        ]),
      }));
    case 'summary':
      return {
        total_calls: 3,
        succeeded: 1,
        failed: 1,
        in_flight: 1,
        total_spent_usd: amount,
        per_feature: [{ feature: 'avatar', calls: 1, spend_usd: amount }],
      };
    case 'voices':
      return [
        {
          id: 'v',
          name: 'Ada',
          description: 'kind',
          preview_url: random.pick([`${ORIGIN}/v.mp3`, 'https://elsewhere.example/v.mp3', 'javascript:0']),
        },
      ];
    case 'job':
      return {
        id: 'job_1',
        status: random.pick(['queued', 'succeeded', 'failed']),
        output_url: null,
        charged_usd: amount,
        error: null,
      };
  }
}
