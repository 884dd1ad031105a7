import { expect, test } from 'vitest';
import { pickFile } from '../../commands/menus/pick-file.ts';
import type { PickedFile } from '../../src/bot/jobs/inputs/inputs.ts';
import { anOrigin } from '../helpers/an-origin.ts';
import { MemoryIntake } from '../bot/discord/use-intake.ts';
import { servicesOf } from '../bot/discord/use-services.ts';

const FILE: PickedFile = { kind: 'image', name: 'a', source: { from: 'result', jobId: 'job_a' } };
const PICKS = {
  keep: () => Promise.resolve('pick_a'),
  find: () => Promise.resolve([FILE]),
};

test.each(['1', '-1', '0.5', 'x'])('a missing file is reported as deleted: %s', async (value) => {
  const message = { kind: 'message', id: '6', authorId: '7', isOwn: false, attachments: [] } as const;
  const call = { origin: anOrigin(), args: ['pick_a'], values: [value], message };

  const result = await pickFile.execute(call, servicesOf(new MemoryIntake(), { picks: PICKS }));

  expect(result.kind).toBe('whisper');
  expect(JSON.stringify(result)).toContain('too long ago');
});
