import { type Command, IN_SERVERS_ONLY } from '../src/discord/command.ts';
import { helpReply } from '../src/discord/help-reply.ts';

/** `/help`: what each of `others` does, what files may be, the rule of consent, and the budget that is left. */
export function help(others: readonly Command[]): Command {
  const data = {
    name: 'help',
    description: 'Show what this bot can do, and what it takes',
    ...IN_SERVERS_ONLY,
  };
  return {
    data,
    answer: 'private',
    async execute({ origin }, { budget, fileLimits: limits }) {
      const facts = { commands: [...others, { data }], limits, budget: await budget(origin.guildId) };
      return { kind: 'reply', reply: helpReply(facts) };
    },
  };
}
