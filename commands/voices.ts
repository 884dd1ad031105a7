import { type Command, type Component, IN_SERVERS_ONLY } from '../src/bot/discord/command.ts';
import { VOICES_ACTION, voicesReply } from '../src/bot/discord/words/replies/voices-reply.ts';

/** `/voices` lists Avatar's voices, page by page, each with a preview if there is one. */
export const voices: Command = {
  data: {
    name: 'voices',
    description: 'Show the voices that an avatar can speak with, and listen to them',
    ...IN_SERVERS_ONLY,
  },
  answer: 'private',
  execute: (_call, services) =>
    Promise.resolve({ kind: 'reply', reply: voicesReply(services.voices.list, 0) }),
};

/** The buttons that turn the pages of `/voices`. */
export const voicesPage: Component = {
  action: VOICES_ACTION,
  answer: 'update',
  execute({ args: [page] }, services) {
    const wanted = /^\d{1,4}$/.test(page ?? '') ? Number(page) : 0;
    return Promise.resolve({ kind: 'reply', reply: voicesReply(services.voices.list, wanted) });
  },
};
