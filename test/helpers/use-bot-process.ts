import { onTestFinished } from 'vitest';
import type { MasqueradeOptions } from '../../src/compose/masquerade-options.ts';
import { BotProcess } from './bot-process.ts';

/** Starts a bot that answers commands, in a separate process that ends with the test. */
export async function useBotProcess(
  options: MasqueradeOptions,
  env: NodeJS.ProcessEnv = {},
): Promise<BotProcess> {
  const bot = new BotProcess(options, env);
  onTestFinished(() => bot.kill());
  bot.begin();
  await bot.ready();
  return bot;
}
