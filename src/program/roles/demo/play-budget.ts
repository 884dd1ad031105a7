import { systemClock } from '../../../base/clock.ts';
import { type MicroUsd, addMicros, parseUsd } from '../../../base/money.ts';
import type { SandboxChannel, SandboxGuild } from '../../../sandbox/script/guild-script.ts';
import type { SandboxMember } from '../../../sandbox/script/member-script.ts';
import type { MessageView } from '../../../sandbox/script/message-view.ts';
import type { Play } from './play.ts';
import { cardLines, titleOf } from './readable-text.ts';
import { runCommand, tellMessage } from './run-command.ts';
import { readSample } from './read-sample.ts';
import { lookAndCheck } from './play-spend.ts';

/** A community that keeps to a budget of its own. */
interface Club {
  readonly guild: SandboxGuild;
  readonly general: SandboxChannel;
  /** Where its admins want to hear of the budget. */
  readonly treasury: SandboxChannel;
  readonly members: readonly SandboxMember[];
}

const LIMIT = '0.30';
/** After all the pictures: less than is set aside for another one. */
const LEFT = '0.02';
const PRICE: MicroUsd = parseUsd('0.04');
/** After how many pictures so many percent are charged. */
const ALERTS = [
  { pictures: 4, percent: 50 },
  { pictures: 6, percent: 80 },
] as const;
const PICTURES = 7;
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
  const spent = await play.transcript.without('Bot', () => spendAndCheck(play, club));
  play.transcript.scene('What does not fit into the rest is refused');
  await refuseAndCheck(play, club);
  play.transcript.scene('The owner looks where the money went');
  await lookAndCheck(play, { by: guild.owner, in: club.general }, spent);
  return guild;
}

async function setBudget(play: Play, { guild, general, treasury }: Club): Promise<void> {
  const owner = { by: guild.owner, in: general };
  const isAnswered = (message: MessageView): boolean => message.text !== '';
  const settings = { alerts: treasury, time_zone: zoneFarFromMidnight(systemClock.now()) };
  const settled = { ...owner, command: '/budget settings', values: settings };
  const chosen = await runCommand(play, settled, isAnswered);
  const isChosen = chosen.text.includes(`<#${treasury.id}>`);
  play.checks.that('an admin chooses a channel for alerts', isChosen, titleOf(chosen));
  const amount = { amount: LIMIT, period: 'day' };
  const set = await runCommand(play, { ...owner, command: '/budget set', values: amount }, isAnswered);
  play.checks.that('an admin sets a daily budget', set.text.includes(`$${LIMIT}`), titleOf(set));
}

/** The budget must not begin anew in the middle of the scenes. */
function zoneFarFromMidnight(nowMs: number): string {
  return new Date(nowMs).getUTCHours() < 12 ? 'Asia/Tokyo' : 'America/Los_Angeles';
}

/** Pictures one after the other, told in a line each; the alerts come in between. */
async function spendAndCheck(play: Play, club: Club): Promise<MicroUsd> {
  const spent: MicroUsd[] = [];
  while (spent.length < PICTURES) {
    await spend(play, club, spent.length);
    spent.push(PRICE);
    const alert = ALERTS.find(({ pictures }) => pictures === spent.length);
    if (alert) await alertAndCheck(play, club, alert.percent);
  }
  const { length } = club.treasury.messages;
  play.checks.that('each alert is told once', length === ALERTS.length, `${length} messages`);
  return addMicros(...spent);
}

async function spend({ transcript }: Play, { general, members }: Club, index: number): Promise<void> {
  const by = members[index % members.length];
  const face = FACES[index % FACES.length];
  if (!by || !face) throw new TypeError('Cannot spend without members');
  const options = { image: await readSample(IMAGE), face: await readSample(face) };
  const use = await by.runs('/photo-swap', { in: general, options });
  const isDone = (message: MessageView): boolean => message.attachments.length > 0;
  const reply = await use.replyWhere(isDone, { timeoutMs: PATIENCE_MS });
  const figures = cardLines(reply).find((line) => line.startsWith('Cost')) ?? '';
  transcript.tell(by.name, `/photo-swap, and gets a picture.   ${figures.replace(/ {3}Resets.*$/, '')}`);
}

async function alertAndCheck(play: Play, { treasury }: Club, percent: number): Promise<void> {
  const isIt = (message: MessageView): boolean => titleOf(message).includes(`${percent} %`);
  const alert = await treasury.messageWhere(isIt, { timeoutMs: PATIENCE_MS });
  tellMessage(play, `shows in #${treasury.name}:`, alert);
  const names = alert.text.includes(`$${LIMIT}`);
  play.checks.that(`admins are told when ${percent} % are charged or set aside`, names, titleOf(alert));
}

async function refuseAndCheck(play: Play, { general, members: [, by] }: Club): Promise<void> {
  if (!by) throw new TypeError('Cannot be refused without members');
  const swap = { by, in: general, command: '/photo-swap', files: { image: IMAGE, face: FACES[1] } };
  const refusal = await runCommand(play, swap, (message) => message.text.includes('budget'));
  const { text } = refusal;
  const says = [`$${LIMIT}`, `$${LEFT}`].every((figure) => text.includes(figure)) && /<t:\d+:F>/.test(text);
  play.checks.that('a refusal names the cap, what is left and the reset', says, titleOf(refusal));
}
