import type { Component } from '../../src/bot/discord/command.ts';
import { RESULT_GONE, say } from './pick-replies.ts';
import { startPick } from './start-pick.ts';

/** The button "Use as input" on a result's card. While the result is kept, everyone who sees the card can use it. */
export const useAsInput: Component = {
  action: 'use',
  answer: 'private',

  async execute({ origin, args: [jobId = ''] }, services) {
    const result = await services.results.ofJob(origin, jobId);
    return result ? startPick(origin, [result], services) : say(RESULT_GONE);
  },
};
