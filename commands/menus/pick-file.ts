import type { Component } from '../../src/bot/discord/command.ts';
import { pickReply } from '../../src/bot/discord/words/picks/pick-reply.ts';
import { PICK_GONE, whisper } from './pick-replies.ts';

/** The select menu with the files of one message. The buttons below it depend on the kind of the selected file. */
export const pickFile: Component = {
  action: 'pick-file',
  answer: 'update',

  async execute({ origin, args: [pickId = ''], values: [index = ''] }, { picks }) {
    const files = await picks.find(origin, pickId);
    const at = Number(index);
    if (!files?.[at]) return whisper(PICK_GONE);
    return { kind: 'reply', reply: pickReply(pickId, files, at) };
  },
};
