import { expect, test } from 'vitest';
import { useInASwap } from '../../commands/menus/use-in-a-swap.ts';
import type { CommandResult, CommandServices, MenuCall } from '../../src/bot/discord/command.ts';
import type { PickedFile } from '../../src/bot/jobs/inputs/inputs.ts';
import { only } from '../helpers/only.ts';
import { anOrigin } from '../helpers/an-origin.ts';
import { MemoryIntake } from '../bot/discord/use-intake.ts';
import { servicesOf } from '../bot/discord/use-services.ts';

const FILE = { id: '8', name: 'beach.png', url: 'https://x/y', sizeBytes: 1, contentType: 'image/png' };
const CALL: MenuCall = {
  origin: anOrigin({ userId: '5' }),
  target: { kind: 'message', id: '6', authorId: '7', isOwn: false, attachments: [FILE] },
};
const RESULT: PickedFile = { kind: 'image', name: 'photo-swap', source: { from: 'result', jobId: 'job_a' } };

const NEVER = only<CommandServices['consents']>({
  mayUseAvatar: () => Promise.resolve(false),
  neverSwapSinceMs: () => Promise.resolve(1),
});

/** Runs the menu command. Returns its result, and the files that it kept. */
async function run(
  call: MenuCall,
  changes: Partial<CommandServices>,
): Promise<{ readonly result: CommandResult; readonly kept: readonly PickedFile[] }> {
  const kept: PickedFile[] = [];
  const picks: CommandServices['picks'] = {
    keep: (_by, files) => {
      kept.push(...files);
      return Promise.resolve('pick_a');
    },
    find: () => Promise.resolve(undefined),
  };
  const services = servicesOf(new MemoryIntake(), { picks, ...changes });
  return { result: await useInASwap.execute(call, services), kept };
}

test('a file is kept with the member who posted it', async () => {
  const { kept } = await run(CALL, {});

  expect(kept).toEqual([
    {
      kind: 'image',
      name: 'beach.png',
      source: {
        from: 'chat',
        url: 'https://x/y',
        sizeBytes: 1,
        postedIn: { messageId: '6', authorId: '7', isOwn: false },
      },
    },
  ]);
});

test.each([
  ['others must respect it', '5', '<@7> wants nothing of theirs'],
  ['the member learns how to change it', '7', '/privacy never-swap'],
])('a face that must never be swapped: %s', async (_who, userId, words) => {
  const { result, kept } = await run({ ...CALL, origin: anOrigin({ userId }) }, { consents: NEVER });

  expect(JSON.stringify(result)).toContain(words);
  expect(kept).toEqual([]);
});

test("a result's message provides the kept result, whatever is attached", async () => {
  const results = { ofJob: () => Promise.resolve(undefined), ofMessage: () => Promise.resolve(RESULT) };
  const { kept } = await run(CALL, { results });

  expect(kept).toEqual([RESULT]);
});

test('if the result is no longer kept, its attachment is used', async () => {
  const results = { ofJob: () => Promise.resolve(undefined), ofMessage: () => Promise.resolve(undefined) };
  const { kept } = await run(CALL, { results });
  const bare = await run(
    { ...CALL, target: { kind: 'message', id: '6', authorId: '7', isOwn: false, attachments: [] } },
    { results },
  );

  expect(kept).toHaveLength(1);
  expect(JSON.stringify(bare.result)).toContain('no longer kept');
});
