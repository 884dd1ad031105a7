import { expect, test } from 'vitest';
import { useSandbox } from '../helpers/use-sandbox.ts';
import { useCommand } from './use-command.ts';

test('a bot whose session was permanently invalidated identifies again', async () => {
  const sandbox = await useSandbox();
  const { general, ada } = await useCommand(sandbox, (interaction) => interaction.reply('Hello'));
  sandbox.faults.invalidateSessions({ resumable: false });
  await sandbox.botOffline();
  await sandbox.botOnline();

  const use = await ada.runs('/hello', { in: general });
  expect((await use.replied()).content).toBe('Hello');
});
