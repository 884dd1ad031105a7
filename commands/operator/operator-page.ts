import type { CommandResult, CommandServices, Component } from '../../src/bot/discord/command.ts';
import { button, buttonRow } from '../../src/bot/discord/words/replies/buttons.ts';
import { COLOURS, messageBody } from '../../src/bot/discord/words/replies/replies.ts';
import { overrunLine, waitingLine } from '../../src/bot/discord/words/replies/overruns-reply.ts';
import { guildLineText, holdLineText } from './status-text.ts';
import type { CallOrigin } from '../../src/bot/jobs/call-origin.ts';
import type { Page } from '../../src/bot/people/operator/page.ts';

const ACTION = 'operator';

/**
 * The buttons that turn the pages of `/operator guilds`, `holds` and `overruns`. Each use checks that the member may
 * see these lists.
 */
export const operatorPage: Component = {
  action: ACTION,
  answer: 'update',
  execute({ origin, args: [list, page] }, services) {
    const wanted = Number.parseInt(page ?? '0', 10) || 0;
    if (list === 'overruns') return overrunsPage(origin, wanted, services);
    return list === 'guilds' ? guildsPage(origin, wanted, services) : holdsPage(origin, wanted, services);
  },
};

/** Shows all servers, highest spending first. */
export async function guildsPage(
  origin: CallOrigin,
  page: number,
  { operator }: CommandServices,
): Promise<CommandResult> {
  const shown = await operator.guilds(origin, page);
  return listReply('guilds', 'Servers', shown, shown.lines.map(guildLineText), 'There is no server yet.');
}

/** Shows all open holds, oldest first. */
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
      'A hold in review waits for you. If a usage record below it is its call, book that record with `/operator assign`, or book it as other use of the account. If there is no record, look up at the service what was charged, and end the hold with `/operator resolve`.',
    );
  }
  return listReply('holds', 'Open holds', shown, lines, 'Nothing is set aside now.');
}

/**
 * Shows all charges above their holds, newest first. The first page begins with the charges that must still be
 * reviewed.
 */
export async function overrunsPage(
  origin: CallOrigin,
  page: number,
  { operator }: CommandServices,
): Promise<CommandResult> {
  const shown = await operator.overruns(origin, page);
  const looks =
    page > 0 || shown.waiting.length === 0
      ? []
      : [
          '**New jobs of these members wait for your review** (`/operator release`):',
          ...shown.waiting.map((one) => `${waitingLine(one)}, server \`${one.guildId}\``),
          '',
        ];
  const lines = shown.lines.map((one) => `${overrunLine(one)}, server \`${one.guildId}\``);
  return listReply(
    'overruns',
    'Charges above the amount set aside',
    shown,
    [...looks, ...lines],
    'No charge was above the amount that was set aside for it.',
  );
}

function listReply(
  list: 'guilds' | 'holds' | 'overruns',
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
