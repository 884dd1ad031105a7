import { systemClock } from '../../../base/clock.ts';
import { type MicroUsd, addMicros, parseUsd } from '../../../base/money.ts';
import type { SandboxChannel, SandboxGuild } from '../../../sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../sandbox/script/message-view.ts';
import type { Play } from './play.ts';
import { cardLines, titleOf } from './readable-text.ts';
import { runCommand, showMessage } from './run-command.ts';
import { readSample } from './read-sample.ts';
import { playSpend } from './play-spend.ts';

/** A community with its own budget. */
interface Club {
  readonly guild: SandboxGuild;
  readonly general: SandboxChannel;
  /** The channel for budget alerts. */
  readonly treasury: SandboxChannel;
  readonly members: readonly SandboxMember[];
}

const LIMIT = '0.30';
/** The amount that is left after all pictures. It is less than the bot sets aside for a picture. */
const LEFT = '0.02';
const PRICE: MicroUsd = parseUsd('0.04');
/** The alerts: the number of pictures after which the bot posts each one, and the percentage that it names. */
const ALERTS = [
  { pictures: 4, percent: 50 },
  { pictures: 6, percent: 80 },
] as const;
const PICTURES = 7;
const IMAGE = 'portrait-man-short-hair.png';
const FACES = ['portrait-woman-curly-hair.jpg', 'portrait-woman-brown-hair.jpg'] as const;
const PATIENCE_MS = 120_000;

/**
 * An admin sets a budget, members spend it, the bot posts alerts and refuses a job that exceeds what is left, and the
 * admin reads the report.
 */
export async function playBudget(play: Play, members: readonly SandboxMember[]): Promise<SandboxGuild> {
  const guild = play.stage.sandbox.addGuild('Book club');
  const places = { general: guild.addTextChannel('general'), treasury: guild.addTextChannel('treasury') };
  const club: Club = { guild, ...places, members: members.map((member) => guild.addMember(member)) };
  play.transcript.scene(`The owner of the book club sets $${LIMIT} a day`);
  await setBudget(play, club);
  play.transcript.scene('Members spend it');
  const spent = await play.transcript.without('Bot', () => spendAndCheck(play, club));
  play.transcript.scene('The bot refuses a job that costs more than the rest of the budget');
  await refuseAndCheck(play, club);
  play.transcript.scene('The owner asks what the money was spent on');
  await playSpend(play, { by: guild.owner, in: club.general }, spent);
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

/** Returns a time zone in which no new day starts during the scenes, so that the budget is not reset. */
function zoneFarFromMidnight(nowMs: number): string {
  return new Date(nowMs).getUTCHours() < 12 ? 'Asia/Tokyo' : 'America/Los_Angeles';
}

/** Members create one picture after another, and the bot posts the alerts in between. Returns the sum of the prices. */
async function spendAndCheck(play: Play, club: Club): Promise<MicroUsd> {
  const spent: MicroUsd[] = [];
  while (spent.length < PICTURES) {
    await spend(play, club, spent.length);
    spent.push(PRICE);
    const alert = ALERTS.find(({ pictures }) => pictures === spent.length);
    if (alert) await alertAndCheck(play, club, alert.percent);
  }
  const { length } = club.treasury.messages;
  play.checks.that('each alert is posted once', length === ALERTS.length, `${length} messages`);
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
  transcript.add(by.name, `/photo-swap, and gets a picture.   ${figures.replace(/ {3}Resets.*$/, '')}`);
}

async function alertAndCheck(play: Play, { treasury }: Club, percent: number): Promise<void> {
  const isIt = (message: MessageView): boolean => titleOf(message).includes(`${percent} %`);
  const alert = await treasury.messageWhere(isIt, { timeoutMs: PATIENCE_MS });
  showMessage(play, `shows in #${treasury.name}:`, alert);
  const names = alert.text.includes(`$${LIMIT}`);
  play.checks.that(`admins are notified when ${percent} % are charged or set aside`, names, titleOf(alert));
}

async function refuseAndCheck(play: Play, { general, members: [, by] }: Club): Promise<void> {
  if (!by) throw new TypeError('Cannot be refused without members');
  const swap = { by, in: general, command: '/photo-swap', files: { image: IMAGE, face: FACES[1] } };
  const refusal = await runCommand(play, swap, (message) => message.text.includes('budget'));
  const { text } = refusal;
  const says = [`$${LIMIT}`, `$${LEFT}`].every((figure) => text.includes(figure)) && /<t:\d+:F>/.test(text);
  play.checks.that(
    'a refusal names the budget, the rest of it and the time of the reset',
    says,
    titleOf(refusal),
  );
}
