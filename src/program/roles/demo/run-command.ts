import { systemClock } from '../../../base/clock.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { SandboxChannel } from '../../../sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../sandbox/script/message-view.ts';
import type { UseOfBot } from '../../../sandbox/script/use-of-bot.ts';
import type { Play } from './play.ts';
import type { Stage } from './stage.ts';
import { cardLines, readableText, titleOf } from './readable-text.ts';
import { type SampleFile, readSample } from './read-sample.ts';

/** A member's use of a slash command. */
export interface CommandUse {
  readonly by: SandboxMember;
  readonly in: SandboxChannel;
  /** The name of the command, with its slash and subcommand. */
  readonly command: string;
  /** The names of sample media files, by option. */
  readonly files?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, string | number | SandboxChannel>>;
}

/** The limit is long enough even for a busy machine, because benchmarks, not the demo, measure the speed. */
const REPLY_MS_MAX = 900_000;
const SHOWN_LENGTH_MAX = 60;

/**
 * Runs a command and adds it to the transcript. Resolves with the reply for which `isDone` is true. Throws
 * `ServiceError` if the bot gives any other final reply.
 */
export async function runCommand(
  play: Play,
  use: CommandUse,
  isDone: (message: MessageView) => boolean,
): Promise<MessageView> {
  const { by, in: channel, command, files = {}, values = {} } = use;
  const samples: Record<string, SampleFile> = {};
  for (const [option, name] of Object.entries(files)) samples[option] = await readSample(name);
  const shown = Object.entries({ ...files, ...values }).map(([option, value]) => `${option}: ${text(value)}`);
  play.transcript.add(by.name, `${command} ${shown.join(' ')}   in #${channel.name}`);
  const running = await by.runs(command, { in: channel, options: { ...samples, ...values } });
  return seeReply(play, by, running, isDone);
}

/** Presses a message's button and adds this to the transcript. Resolves and throws like `runCommand`. */
export async function pressButton(
  play: Play,
  press: { readonly by: SandboxMember; readonly button: string; readonly on: MessageView },
  isDone: (message: MessageView) => boolean,
): Promise<MessageView> {
  const { by, button, on } = press;
  play.transcript.add(by.name, `presses "${button}" under the message`);
  return seeReply(play, by, await by.presses(button, { on }), isDone);
}

async function seeReply(
  { transcript, stage }: Play,
  by: SandboxMember,
  use: UseOfBot,
  isDone: (message: MessageView) => boolean,
): Promise<MessageView> {
  await use.acknowledged();
  transcript.add('Discord', `shows that the bot is at work, after ${use.acknowledgedAfterMs} ms`);
  const options = { timeoutMs: REPLY_MS_MAX };
  const isOver = (message: MessageView): boolean => isDone(message) || !isProgress(message);
  // The answer is the reply or a follow-up, which may be visible only to the member.
  const reply = await Promise.any([use.replyWhere(isOver, options), use.followUpWhere(isOver, options)]);
  showMessage(
    { transcript, stage },
    reply.flags.ephemeral ? `shows ${by.name} alone:` : 'shows everybody:',
    reply,
  );
  if (!isDone(reply))
    throw new ServiceError('demo_failed', 'Cannot continue: the bot gave an unexpected reply');
  return reply;
}

/** Adds the visible text of a message to the transcript. */
export function showMessage(
  { transcript, stage }: Pick<Play, 'transcript' | 'stage'>,
  shown: string,
  message: MessageView,
): void {
  const names = namesOf(stage);
  transcript.add('Discord', shown);
  for (const line of cardLines(message)) {
    transcript.add('', `| ${readableText(line, names, systemClock.now())}`);
  }
}

/** Returns the names of all channels and users, by id. */
function namesOf({ sandbox }: Stage): ReadonlyMap<string, string> {
  const guilds = sandbox.guilds.map(({ entity }) => entity);
  return new Map([
    ...guilds.flatMap(({ channels }) => [...channels.values()].map(({ id, name }) => [id, name] as const)),
    ...guilds.flatMap(({ members }) =>
      [...members.values()].map(({ user }) => [user.id, user.globalName ?? user.username] as const),
    ),
  ]);
}

function isProgress(message: MessageView): boolean {
  return titleOf(message).endsWith('in progress');
}

function text(value: string | number | SandboxChannel): string {
  const whole = typeof value === 'object' ? `#${value.name}` : String(value);
  return whole.length > SHOWN_LENGTH_MAX ? `${whole.slice(0, SHOWN_LENGTH_MAX)}...` : whole;
}
