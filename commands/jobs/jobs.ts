import { type APIApplicationCommandSubcommandOption, ApplicationCommandOptionType } from 'discord.js';
import {
  type Choice,
  type Command,
  type CommandResult,
  type CommandServices,
  type CompletionCall,
  IN_SERVERS_ONLY,
} from '../../src/bot/discord/command.ts';
import {
  deskRefusalReply,
  jobLabel,
  jobListReply,
  shownReply,
  tookBackReply,
} from '../../src/bot/discord/words/replies/desk-replies.ts';
import { retry } from './result-buttons.ts';
import type { JobDesk } from '../../src/bot/jobs/desk/job-desk.ts';
import type { CallOrigin } from '../../src/bot/jobs/call-origin.ts';

const { Subcommand, String: Text } = ApplicationCommandOptionType;

/** `/jobs list|show|retry|delete` manages earlier jobs. Only the member sees the replies. */
export const jobs: Command = {
  data: {
    name: 'jobs',
    description: 'See your jobs, get their results again, retry or delete them',
    ...IN_SERVERS_ONLY,
    options: [
      {
        type: Subcommand,
        name: 'list',
        description: 'See your jobs, or, as a moderator, those of the server',
        options: [
          choice('which', 'Running ones, or those that ended (usual)', { open: 'Open', ended: 'Ended' }),
          choice('whose', 'Yours (usual), or all of the server for moderators', {
            own: 'Mine',
            guild: 'All',
          }),
        ],
      },
      onJob('show', 'See one job and get its result again'),
      onJob('retry', 'Try a job again with the same files'),
      onJob('delete', 'Take the message and the files of a job away'),
    ],
  },

  answer: ({ subcommand }) => (subcommand === 'retry' ? 'public' : 'private'),

  execute({ subcommand, texts, origin }, services) {
    const jobId = texts.get('job') ?? '';
    switch (subcommand ?? 'list') {
      case 'show':
        return show(origin, jobId, services.desk);
      case 'retry':
        return retry(origin, jobId, services);
      case 'delete':
        return remove(origin, jobId, services.desk);
      default:
        return list(origin, texts, services.desk);
    }
  },

  complete: suggestJobs,
};

async function list(
  origin: CallOrigin,
  texts: ReadonlyMap<string, string>,
  desk: JobDesk,
): Promise<CommandResult> {
  const which = texts.get('which') === 'open' ? 'open' : 'ended';
  const whose = texts.get('whose') === 'guild' ? 'guild' : 'own';
  return { kind: 'reply', reply: jobListReply(await desk.list(origin, { which, whose, page: 0 })) };
}

async function show(origin: CallOrigin, jobId: string, desk: JobDesk): Promise<CommandResult> {
  const shown = await desk.show(origin, jobId);
  if (shown.outcome === 'refused') return { kind: 'reply', reply: deskRefusalReply(shown) };
  return { kind: 'reply', reply: shownReply(shown), ...(shown.file ? { file: shown.file } : {}) };
}

async function remove(origin: CallOrigin, jobId: string, desk: JobDesk): Promise<CommandResult> {
  const removed = await desk.remove(origin, jobId);
  const reply = removed.outcome === 'refused' ? deskRefusalReply(removed) : tookBackReply('Deleted', removed);
  return { kind: 'reply', reply };
}

/** Suggests the member's newest jobs. Moderators get the newest jobs of the whole server. */
async function suggestJobs(
  { origin, typed }: CompletionCall,
  { desk }: CommandServices,
): Promise<readonly Choice[]> {
  const wanted = [
    { which: 'open', page: 0 },
    { which: 'ended', page: 0 },
    { which: 'ended', page: 1 },
  ] as const;
  const pages = await Promise.all(wanted.map((page) => desk.list(origin, { ...page, whose: 'guild' })));
  return pages
    .flatMap((page) => page.jobs)
    .map((job) => ({ name: jobLabel(job, origin.receivedAtMs), value: job.jobId }))
    .filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()));
}

function onJob(name: string, description: string): APIApplicationCommandSubcommandOption {
  const job = {
    type: Text,
    name: 'job',
    description: 'Which job',
    required: true,
    autocomplete: true,
  } as const;
  return { type: Subcommand, name, description, options: [job] };
}

function choice(
  name: string,
  description: string,
  values: Readonly<Record<string, string>>,
): NonNullable<APIApplicationCommandSubcommandOption['options']>[number] {
  const choices = Object.entries(values).map(([value, label]) => ({ name: label, value }));
  return { type: Text, name, description, choices };
}
