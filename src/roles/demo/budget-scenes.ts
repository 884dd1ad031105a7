import { type MicroUsd, addMicros, formatUsd, parseUsd } from '../../base/money.ts';
import type { SandboxChannel, SandboxGuild } from '../../sandbox/script/guild-script.ts';
import type { SandboxMember } from '../../sandbox/script/member-script.ts';
import type { MessageView } from '../../sandbox/script/message-view.ts';
import type { Play } from './play.ts';
import { cardLines, titleOf } from './readable-text.ts';
import { runCommand, tellMessage } from './run-command.ts';
import { readSample } from './samples.ts';
import { lookAndCheck } from './spend-scenes.ts';

/** A community that keeps to a budget of its own. */
interface Club {
  readonly guild: SandboxGuild;
  readonly general: SandboxChannel;
  /** Where its admins want to hear of the budget. */
  readonly treasury: SandboxChannel;
  readonly members: readonly SandboxMember[];
}

const LIMIT = '0.30';
const PRICE: MicroUsd = parseUsd('0.04');
/** Four fifths of the budget are used once the last of these has its money set aside. */
const PICTURES = 6;
const IMAGE = 'portrait-man-short-hair.png';
const FACES = ['portrait-woman-curly-hair.jpg', 'portrait-woman-brown-hair.jpg'] as const;
const PATIENCE_MS = 120_000;

/** An admin sets a budget; members spend it, admins are told, what is too much is refused; then where it went. */
export async function playBudget(play: Play, members: readonly SandboxMember[]): Promise<SandboxGuild> {
  const guild = play.stage.sandbox.addGuild('Book club');
  const places = { general: guild.addTextChannel('general'), treasury: guild.addTextChannel('treasury') };
  const club: Club = { guild, ...places, members: members.map((member) => guild.addMember(member)) };
  play.transcript.scene(`The owner of the book club sets $${LIMIT} a day`);
  await setBudget(play, club);
  play.transcript.scene('Members spend it');
  const spent = await spendAndCheck(play, club);
  play.transcript.scene('What does not fit into the rest is refused');
  await refuseAndCheck(play, club);
  play.transcript.scene('The owner looks where the money went');
  await lookAndCheck(play, { by: guild.owner, in: club.general }, spent);
  return guild;
}

async function setBudget(play: Play, { guild, general, treasury }: Club): Promise<void> {
  const owner = { by: guild.owner, in: general };
  const isAnswered = (message: MessageView): boolean => message.text !== '';
  const amount = { amount: LIMIT, period: 'day' };
  const set = await runCommand(play, { ...owner, command: '/budget set', values: amount }, isAnswered);
  play.checks.that('an admin sets a daily budget', set.text.includes(`$${LIMIT}`), titleOf(set));
  const alerts = { alerts: treasury };
  const chosen = await runCommand(
    play,
    { ...owner, command: '/budget settings', values: alerts },
    isAnswered,
  );
  play.checks.that(
    'an admin chooses a channel for alerts',
    chosen.text.includes(`<#${treasury.id}>`),
    titleOf(chosen),
  );
}

/** Pictures one after the other, told in a line each; the alerts come in between. */
async function spendAndCheck(play: Play, club: Club): Promise<MicroUsd> {
  const { general, treasury, members } = club;
  for (let count = 0; count < PICTURES; count++) {
    const by = members[count % members.length];
    const face = FACES[count % FACES.length];
    if (!by || !face) throw new TypeError('Cannot spend without members');
    const options = { image: await readSample(IMAGE), face: await readSample(face) };
    const use = await by.runs('/photo-swap', { in: general, options });
    const reply = await use.replyWhere((message) => message.attachments.length > 0, {
      timeoutMs: PATIENCE_MS,
    });
    const figures = cardLines(reply).find((line) => line.startsWith('Cost')) ?? '';
    play.transcript.tell(
      by.name,
      `/photo-swap, and gets a picture.   ${figures.replace(/ {3}Resets.*$/, '')}`,
    );
  }
  for (const percent of [50, 80]) await alertAndCheck(play, club, percent);
  const isOnceEach = treasury.messages.length === 2;
  play.checks.that('each alert is told once', isOnceEach, `${treasury.messages.length} messages`);
  return addMicros(...Array.from({ length: PICTURES }, () => PRICE));
}

async function alertAndCheck(play: Play, { treasury }: Club, percent: number): Promise<void> {
  const isIt = (message: MessageView): boolean => message.text.includes(`${percent} %`);
  const alert = await treasury.messageWhere(isIt, { timeoutMs: PATIENCE_MS });
  tellMessage(play, `shows in #${treasury.name}:`, alert);
  const names = alert.text.includes(`$${LIMIT}`);
  play.checks.that(`admins are told when ${percent} % are used`, names, titleOf(alert));
}

async function refuseAndCheck(play: Play, { general, members: [, by] }: Club): Promise<void> {
  if (!by) throw new TypeError('Cannot be refused without members');
  const speech = { script: 'One more thing: the next book is a long one!' };
  const avatar = { by, in: general, command: '/avatar', files: { image: FACES[1] }, values: speech };
  const refusal = await runCommand(play, avatar, (message) => message.text.includes('budget'));
  const { text } = refusal;
  const left = formatUsd(parseUsd('0.06'));
  const says = text.includes(`$${LIMIT}`) && text.includes(left) && /<t:\d+:F>/.test(text);
  play.checks.that('a refusal names the cap, what is left and the reset', says, titleOf(refusal));
}
