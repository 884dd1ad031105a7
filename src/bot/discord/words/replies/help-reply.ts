import type { BudgetView } from '../../../money/caps/budget.ts';
import { ZERO, formatUsd } from '../../../../base/money.ts';
import type { Command, FileLimits, MenuCommand } from '../../command.ts';
import { JOB_FORMS } from '../forms/job-forms.ts';
import { NEWEST_OPTION, SAVED_FACE_OPTION } from '../forms/job-form.ts';
import { limitsText } from '../forms/limits-text.ts';
import type { MessageBody } from '../../wire/message-calls.ts';
import { sizeText } from '../notices/notice.ts';
import { COLOURS, messageBody } from './replies.ts';
import { AI_LABEL, PERIOD_NAMES, durationText, momentText } from '../texts.ts';

interface HelpFacts {
  readonly commands: readonly Pick<Command, 'data'>[];
  readonly menus: readonly Pick<MenuCommand, 'data'>[];
  readonly limits: FileLimits;
  readonly budget: BudgetView;
}

/** Describes what the bot does, its limits, the rules of use, and the budget left. */
export function helpReply({ commands, menus, limits, budget }: HelpFacts): MessageBody {
  return messageBody({
    color: COLOURS.working,
    title: 'What Masquerade can do',
    description: commands.map(({ data }) => `\`/${data.name}\` ${data.description}`).join('\n'),
    fields: [
      { name: 'How to give files', value: waysText(menus) },
      { name: 'What it takes', value: limitsLines(limits) },
      {
        name: 'Only with consent',
        value:
          'Use only faces and voices of people who have agreed to it, and nothing that could hurt or deceive ' +
          `somebody. Every result says that it is ${AI_LABEL}. In voice channels only members are heard who agreed ` +
          'to it themselves with `/voice`, and only while everybody can see that voices are converted. With `/live` only ' +
          'your own camera is used, on a page that you open, once you have agreed there.',
      },
      { name: 'What it costs', value: budgetText(budget) },
      {
        name: 'To read more',
        value:
          'Each option says what it is for while you type the command. For anything else, ask whoever runs this ' +
          'bot here, and tell them the reference at the foot of the message it is about.',
      },
    ],
  });
}

function waysText(menus: HelpFacts['menus']): string {
  const entries = menus.map(({ data }) => `**${data.name}**`).join(' or ');
  const fromMenus =
    entries === '' ? '' : ` Or open the menu of a message or a member, and choose Apps and ${entries}.`;
  return (
    `Attach a file, choose one of your saved faces in \`${SAVED_FACE_OPTION}\`, or take with ` +
    `\`${NEWEST_OPTION}\` the newest picture or video of the channel that this bot made or was mentioned with. With a saved face as your default you can leave the face out.${fromMenus}`
  );
}

function limitsLines({ bytesMax, secondsMax, megapixelsMax }: FileLimits): string {
  return [
    `Pictures (JPEG, PNG, WebP): up to ${sizeText(bytesMax.image)} and ${megapixelsMax} megapixels`,
    `Videos (MP4, WebM): up to ${sizeText(bytesMax.video)} and ${lengthOf(secondsMax.video)}`,
    `Recordings (MP3, WAV, Ogg): up to ${sizeText(bytesMax.audio)} and ${lengthOf(secondsMax.audio)}`,
    `\`/avatar\`: ${limitsText(JOB_FORMS.avatar)}`,
    'Discord may allow you less than that in one message.',
  ].join('\n');
}

function lengthOf(seconds: number): string {
  return durationText(seconds * 1_000);
}

function budgetText({ limit, left, period, resetsAtMs }: BudgetView): string {
  const resets = resetsAtMs === null ? 'does not reset' : `resets ${momentText(resetsAtMs, 'R')}`;
  const stands =
    limit === ZERO
      ? 'Nothing can be spent here yet: an admin can set a budget with `/budget set`.'
      : `This server has **${formatUsd(left)}** of **${formatUsd(limit)}** left ${PERIOD_NAMES[period].current}; the ` +
        `budget ${resets}. \`/budget show\` tells more.`;
  return (
    `${stands} The card of a job tells about what it costs, and that much is set aside ` +
    'when it starts. What it really costs is charged when it is done, and a job that fails costs nothing. `/voice` ' +
    'costs by the second that a speaker is connected, `/live` by the second that your picture is changed.'
  );
}
