import { type Command, IN_SERVERS_ONLY, type MenuCommand } from '../src/bot/discord/command.ts';
import { helpReply } from '../src/bot/discord/words/replies/help-reply.ts';

/** `/help` describes the other commands, the file limits, the consent rule, and the remaining budget. */
export function help(others: readonly Command[], menus: readonly MenuCommand[]): Command {
  const data = {
    name: 'help',
    description: 'Show what this bot can do, and what it takes',
    ...IN_SERVERS_ONLY,
  };
  return {
    data,
    answer: 'private',
    async execute({ origin }, { budget, fileLimits: limits }) {
      const commands = [...others, { data }];
      const facts = { commands, menus, limits, budget: await budget(origin.guildId) };
      return { kind: 'reply', reply: helpReply(facts) };
    },
  };
}
