import { describe, expect, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { insertJob } from '../../../../db/queries/jobs.ts';
import { listJobInputs } from '../../../../db/queries/job-inputs.ts';
import { parseUsd } from '../../../../src/base/money.ts';
import { switchOff } from '../../../../src/bot/jobs/capability-switch.ts';
import type { JobLimits } from '../../../../src/bot/jobs/job-limits.ts';
import type { SpendingGate } from '../../../../src/bot/money/ledger/spending-gate.ts';
import { anOrigin } from '../../../helpers/an-origin.ts';
import { aJob } from '../../../db/a-job.ts';
import { type Pipeline, usePipeline } from '../use-pipeline.ts';
import type { AccessGate } from '../../../../src/bot/jobs/intake/access-gate.ts';
import type { JobRequest } from '../../../../src/bot/jobs/job-request.ts';

/** Creates a command in which every id is different, so that none can be mistaken for another. */
function aCommand(changes: Partial<JobRequest> = {}): JobRequest {
  return {
    ...anOrigin({
      interactionId: '101',
      applicationId: '102',
      guildId: '103',
      channelId: '104',
      userId: '105',
      roleIds: ['106'],
      interactionToken: 'token_107',
      receivedAtMs: 108_000,
      attachmentSizeLimitBytes: 109_000,
    }),
    capability: 'photo_swap',
    parameters: {},
    inputs: [
      {
        field: 'image_key',
        option: 'image',
        kind: 'image',
        source: { from: 'chat', url: 'u', sizeBytes: 9 },
      },
    ],
    ...changes,
  };
}

/** Inserts this many open jobs. They belong to other members, unless `changes` names a member or guild. */
async function putOpen(
  db: Database,
  count: number,
  of: { readonly guildId?: string; readonly userId?: string } = {},
): Promise<void> {
  await db.transaction('rows', async (trx) => {
    for (let job = 0; job < count; job++) {
      const name = `${of.guildId ?? 'guild'}_${of.userId ?? 'user'}_${job}`;
      const whose = { guild_id: of.guildId ?? `guild_${job}`, user_id: of.userId ?? `user_${job}` };
      await insertJob(trx, aJob(name, whose));
    }
  });
}

async function answerOf({ jobs }: Pipeline, request: JobRequest): Promise<string> {
  const outcome = await jobs.intake.accept(request);
  return outcome.accepted ? 'accepted' : outcome.refusal.reason;
}

async function rowsOf({ db }: Pipeline): Promise<readonly unknown[]> {
  const tables = ['jobs', 'job_inputs', 'job_input_owners', 'holds', 'ledger_entries'] as const;
  return Promise.all(tables.map((table) => db.kysely.selectFrom(table).selectAll().execute()));
}

describe('as many jobs are accepted as may be open, and not one more', () => {
  const WIDE = { openPerGuildMax: 100, openPerMemberMax: 100, openMax: 100 };
  const CASES: readonly {
    readonly what: string;
    readonly limits: Partial<JobLimits>;
    readonly open: readonly (readonly [number, { guildId?: string; userId?: string }?])[];
    readonly answer: 'accepted' | 'busy';
  }[] = [
    {
      what: 'one below the most of a server',
      limits: { openPerGuildMax: 4 },
      open: [[3, { guildId: '103' }], [9]],
      answer: 'accepted',
    },
    {
      what: 'the most of a server',
      limits: { openPerGuildMax: 4 },
      open: [[4, { guildId: '103' }]],
      answer: 'busy',
    },
    {
      what: 'one below the most of a member',
      limits: { openPerMemberMax: 4 },
      open: [[3, { userId: '105' }], [9]],
      answer: 'accepted',
    },
    {
      what: 'the most of a member',
      limits: { openPerMemberMax: 4 },
      open: [[4, { userId: '105' }]],
      answer: 'busy',
    },
    {
      what: 'one below the most in all, in a quiet server',
      limits: { openMax: 20 },
      open: [[4, { guildId: '103' }], [15]],
      answer: 'accepted',
    },
    {
      what: 'the most in all, in a quiet server',
      limits: { openMax: 20 },
      open: [[4, { guildId: '103' }], [16]],
      answer: 'busy',
    },
    {
      what: 'one below four fifths, in a busy server',
      limits: { openMax: 20 },
      open: [[5, { guildId: '103' }], [10]],
      answer: 'accepted',
    },
    {
      what: 'four fifths, in a busy server',
      limits: { openMax: 20 },
      open: [[5, { guildId: '103' }], [11]],
      answer: 'busy',
    },
  ];

  test.each(CASES)('$what: $answer', async ({ limits, open, answer }) => {
    const pipeline = await usePipeline({ start: false, limits: { ...WIDE, ...limits } });
    for (const [count, of] of open) await putOpen(pipeline.db, count, of);

    expect(await answerOf(pipeline, aCommand())).toBe(answer);
  });

  test('jobs that were accepted within the same second count', async () => {
    const pipeline = await usePipeline({ start: false, limits: { ...WIDE, openMax: 3 } });
    const answers: string[] = [];
    for (const name of ['1', '2', '3', '4']) {
      const command = aCommand({ interactionId: name, guildId: `guild_${name}`, userId: `user_${name}` });
      answers.push(await answerOf(pipeline, command));
    }
    expect(answers).toEqual(['accepted', 'accepted', 'accepted', 'busy']);
  });
});

/**
 * Creates the gate for the service's account, with this balance. Records each notification that the balance is too
 * small.
 */
function anAccount(balance: number, pausedGuild?: string): SpendingGate & { readonly told: unknown[] } {
  const told: unknown[] = [];
  return {
    told,
    pausedBy: (_trx, guildId) => Promise.resolve(guildId === pausedGuild ? 'guild' : null),
    isShort: (_trx, amount) => Promise.resolve(amount > balance),
    wasShort: (...what) => void told.push(what),
  };
}

const PRICES = { photo_swap: { rate: parseUsd('0.08'), per: 'image' } } as const;
const HELD = 100_000;

test.each([
  [HELD - 1, false],
  [HELD, true],
])(
  'with %i on the account of the service, a job for which 100,000 are held is accepted: %s',
  async (balance, accepted) => {
    const spending = anAccount(balance);
    const pipeline = await usePipeline({ start: false, rules: { spending, prices: PRICES } });

    const outcome = await pipeline.jobs.intake.accept(aCommand());

    expect(outcome).toMatchObject(
      accepted ? { accepted, held: HELD } : { accepted, refusal: { reason: 'account_empty', needed: HELD } },
    );
    expect(spending.told).toEqual(accepted ? [] : [[HELD, 'balance']]);
  },
);

test('a command is refused for the first of all reasons, and nothing of it is stored', async () => {
  const gate: AccessGate = {
    refuses: (_trx, { roleIds }) => Promise.resolve(roleIds.includes('banned') ? { rule: 'blocked' } : null),
  };
  const spending = anAccount(1, 'paused');
  const limits = { openPerMemberMax: 2 };
  const pipeline = await usePipeline({
    start: false,
    limits,
    rules: { spending, gates: [gate], prices: PRICES },
  });
  const { db, clock } = pipeline;
  const rich = await usePipeline({
    start: false,
    db,
    rules: { prices: { photo_swap: { ...PRICES.photo_swap, rate: parseUsd(20) } } },
  });
  await db.transaction('rows', async (trx) => {
    await switchOff(trx, 'photo_swap', clock.now() + 200_000);
    await insertJob(trx, aJob('retry', { retry_of: 'job_first', user_id: '105' }));
    await insertJob(trx, aJob('other', { user_id: '105' }));
  });
  const empty = aCommand().inputs.map((input) => ({
    ...input,
    source: { from: 'chat', url: 'u', sizeBytes: 0 } as const,
  }));
  const before = await rowsOf(pipeline);
  let command = aCommand({ inputs: empty, guildId: 'paused', roleIds: ['banned'], retryOf: 'job_first' });
  const mend = async (changes: Partial<JobRequest>): Promise<string> => {
    command = { ...command, ...changes };
    return answerOf(pipeline, command);
  };

  expect(await mend({})).toBe('input');
  expect(await mend({ inputs: aCommand().inputs })).toBe('paused');
  expect(await mend({ guildId: '103' })).toBe('switched_off');
  await db.kysely.deleteFrom('settings').where('name', 'like', 'switched_off%').execute();
  expect(await mend({})).toBe('access');
  expect(await mend({ roleIds: [] })).toBe('already_retrying');
  expect(await mend({ retryOf: 'job_second' })).toBe('busy');
  expect(await mend({ userId: '205' })).toBe('account_empty');
  expect(await answerOf(rich, command)).toBe('budget');
  expect(await rowsOf(pipeline)).toEqual(before);
});

describe('a capability that is switched off', () => {
  test.each([
    [-1, 'accepted'],
    [0, 'accepted'],
    [1, 'switched_off'],
    [300_000, 'switched_off'],
    // A capability is never switched off for more than 300,000 ms; a longer time means that the clock was set back.
    [300_001, 'accepted'],
  ])('for %i ms more leads to: %s', async (leftMs, answer) => {
    const pipeline = await usePipeline({ start: false });
    const nowMs = pipeline.clock.now();
    pipeline.clock.now = () => nowMs;
    await switchOff(pipeline.db.kysely, 'photo_swap', nowMs + leftMs);

    expect(await answerOf(pipeline, aCommand())).toBe(answer);
    expect(await answerOf(pipeline, aCommand({ capability: 'video_swap', interactionId: '201' }))).toBe(
      'accepted',
    );
    // One job was let through to find out whether the capability is on again. Until its outcome is known, no other job
    // is accepted.
    expect(await answerOf(pipeline, aCommand({ interactionId: '202' }))).toBe('switched_off');
  });
});

test('everything about a command is stored with its job and its inputs, each value in its column', async () => {
  const pipeline = await usePipeline({ start: false, rules: { prices: PRICES } });
  const nowMs = pipeline.clock.now();
  pipeline.clock.now = () => nowMs;
  const chat = { from: 'chat', url: 'https://cdn.example/a', sizeBytes: 77 } as const;
  const command = aCommand({
    parameters: { output_resolution_p: 720 },
    retryOf: 'job_before',
    inputs: [
      { field: 'a_key', option: 'a', kind: 'image', source: chat },
      { field: 'b_key', option: 'b', kind: 'video', source: { from: 'newest' } },
      { field: 'c_key', option: 'c', kind: 'image', source: { from: 'saved_face', faceId: 'face_1' } },
      { field: 'd_key', option: 'd', kind: 'audio', source: { from: 'result', jobId: 'job_1' } },
      { field: 'e', option: 'e', kind: 'text', source: { from: 'input', jobId: 'job_2', field: 'script' } },
      {
        field: 'f_key',
        option: 'f',
        kind: 'image',
        source: { ...chat, of: { kind: 'avatar', userId: '208' } },
      },
    ],
  });

  const outcome = await pipeline.jobs.intake.accept(command);
  if (!outcome.accepted) throw new Error('Not taken on');
  const again = await pipeline.jobs.intake.accept(command);

  expect(again).toEqual(outcome);
  expect(outcome).toMatchObject({ held: HELD, budget: { left: 9_900_000 } });
  expect(await pipeline.row(outcome.jobId)).toMatchObject({
    interaction_id: '101',
    application_id: '102',
    guild_id: '103',
    channel_id: '104',
    user_id: '105',
    interaction_token: 'token_107',
    token_expires_at_ms: 108_000 + 900_000,
    attachment_size_limit_bytes: 109_000,
    capability: 'photo_swap',
    parameters: '{"output_resolution_p":720}',
    retry_of: 'job_before',
    stage: 'accepted',
    turn: 1,
    hold_micros: HELD,
    quote_micros: 80_000,
    due_at_ms: nowMs + 15_000,
    accepted_at_ms: nowMs,
    stage_since_ms: nowMs,
    updated_at_ms: nowMs,
    acknowledged_at_ms: null,
    reply_message_id: null,
  });
  expect(await pipeline.hold(outcome.jobId)).toMatchObject({
    guild_id: '103',
    user_id: '105',
    capability: 'photo_swap',
    amount_micros: HELD,
    state: 'pending',
  });
  expect(await listJobInputs(pipeline.db.kysely, outcome.jobId)).toMatchObject([
    {
      field: 'a_key',
      option_name: 'a',
      kind: 'image',
      source: 'chat',
      source_id: null,
      url: chat.url,
      size_bytes: 77,
    },
    {
      field: 'b_key',
      option_name: 'b',
      kind: 'video',
      source: 'newest',
      source_id: null,
      url: '',
      size_bytes: null,
    },
    { field: 'c_key', option_name: 'c', kind: 'image', source: 'saved_face', source_id: 'face_1', url: '' },
    { field: 'd_key', option_name: 'd', kind: 'audio', source: 'result', source_id: 'job_1', url: '' },
    { field: 'e', option_name: 'e', kind: 'text', source: 'input', source_id: 'job_2/script', url: '' },
    { field: 'f_key', option_name: 'f', kind: 'image', source: 'chat', url: chat.url },
  ]);
  expect(await pipeline.db.kysely.selectFrom('job_input_owners').selectAll().execute()).toEqual([
    { job_id: outcome.jobId, field: 'f_key', owner_id: '208', kind: 'avatar' },
  ]);
});

test.each([
  ['for which nothing is assumed', 'photo_swap', 80_000],
  ['whose length is not known yet', 'lip_sync', null],
] as const)('a price %s is shown at once, or only when it is known', async (_what, capability, quote) => {
  const prices = { ...PRICES, lip_sync: { rate: parseUsd('0.01'), per: 'second' } } as const;
  const pipeline = await usePipeline({ start: false, rules: { prices } });

  const outcome = await pipeline.jobs.intake.accept(aCommand({ capability }));
  if (!outcome.accepted) throw new Error('Not taken on');

  expect(await pipeline.row(outcome.jobId)).toMatchObject({ quote_micros: quote });
});

test.each([
  [0, 'empty'],
  [1, undefined],
  [100, undefined],
  [101, 'too_large'],
  [null, undefined],
] as const)('a file that has %s bytes according to the chat is refused as %s', async (sizeBytes, kind) => {
  const inputBytesMax = { image: 100, audio: 50, video: 50, text: 50 };
  const pipeline = await usePipeline({ start: false, limits: { inputBytesMax } });
  const source = { from: 'chat', url: 'u', sizeBytes } as const;
  const inputs = [
    ...aCommand().inputs,
    { field: 'face_key', option: 'face', kind: 'image', source } as const,
  ];

  const outcome = await pipeline.jobs.intake.accept(aCommand({ inputs }));

  const refusal = { reason: 'input', option: 'face', problem: { kind } };
  expect(outcome).toMatchObject(kind ? { accepted: false, refusal } : { accepted: true });
});
