import type { CommandResult, CommandServices, Component } from '../src/discord/command.ts';
import { button, buttonRow } from '../src/discord/replies/buttons.ts';
import { COLOURS, messageBody } from '../src/discord/replies/replies.ts';
import type { CallOrigin } from '../src/jobs/ports.ts';
import type { Page } from '../src/operator/ports.ts';
import { guildLineText, holdLineText } from './operator-show.ts';

const ACTION = 'operator';

/** Turns the pages of `/operator guilds` and `/operator holds`; asks anew who may. */
export const operatorPage: Component = {
  action: ACTION,
  answer: 'update',
  execute({ origin, args: [list, page] }, services) {
    const wanted = Number.parseInt(page ?? '0', 10) || 0;
    return list === 'guilds' ? guildsPage(origin, wanted, services) : holdsPage(origin, wanted, services);
  },
};

/** All servers, those that spent most first. */
export async function guildsPage(
  origin: CallOrigin,
  page: number,
  { operator }: CommandServices,
): Promise<CommandResult> {
  const shown = await operator.guilds(origin, page);
  return listReply('guilds', 'Servers', shown, shown.lines.map(guildLineText), 'There is no server yet.');
}

/** All open holds, oldest first. */
export async function holdsPage(
  origin: CallOrigin,
  page: number,
  { operator }: CommandServices,
): Promise<CommandResult> {
  const shown = await operator.holds(origin, page);
  const lines = shown.lines.map(holdLineText);
  if (shown.lines.some(({ state }) => state === 'review')) {
    lines.push(
      '',
      'A hold in review waits for you. If a record of the usage log below it is its call, book that with `/operator assign`, or say that it is nobody’s here. If there is none, look up at the service what was charged, and end the hold with `/operator resolve`.',
    );
  }
  return listReply('holds', 'Open holds', shown, lines, 'Nothing is held just now.');
}

function listReply(
  list: 'guilds' | 'holds',
  title: string,
  { page, hasMore }: Page<unknown>,
  lines: readonly string[],
  empty: string,
): CommandResult {
  const embed = {
    color: COLOURS.working,
    title: page === 0 ? title : `${title}, page ${page + 1}`,
    description: lines.length === 0 ? empty : lines.join('\n'),
  };
  const buttons = [
    ...(page > 0 ? [button('secondary', 'Back', ACTION, list, String(page - 1))] : []),
    ...(hasMore ? [button('secondary', 'More', ACTION, list, String(page + 1))] : []),
  ];
  const rows = buttons.length === 0 ? [] : [buttonRow(...buttons)];
  return { kind: 'reply', reply: messageBody(embed, '', rows) };
}
