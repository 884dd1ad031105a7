import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ServiceError } from '../../base/errors.ts';
import { type Command, type CommandAnswer, ConsoleError } from './console/command.ts';
import { COMMANDS, findCommand, helpText, usageOf } from './console/commands.ts';
import { optionName } from './console/option-name.ts';
import { toConsoleError } from './console/to-console-error.ts';
import type { Role, RoleContext } from './role.ts';

/** `console <command>`: runs one administration command of the media server. */
export const consoleRole: Role = async (context) => {
  const { words, options, isForMachines } = readArguments(context.args);
  if (words.length === 0 || words[0] === 'help') {
    context.print(`${helpText()}\n`);
    return null;
  }
  const { command, values } = findCommand(words);
  checkUse(command, values, options);
  const answer = await runOn(context, command, values, options);
  context.print(isForMachines ? `${JSON.stringify(answer.json, null, 2)}\n` : `${answer.text}\n`);
  return null;
};

type Options = Readonly<Record<string, string | undefined>>;

interface Arguments {
  readonly words: readonly string[];
  readonly options: Options;
  readonly isForMachines: boolean;
}

/** Separates words from options. Throws `ConsoleError` for an unknown option and for an option without its value. */
function readArguments(args: readonly string[]): Arguments {
  const names = new Set(COMMANDS.flatMap(({ options }) => options.map(optionName)));
  const texts = Object.fromEntries([...names].map((name) => [name, { type: 'string' as const }]));
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...texts, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
    const { json, help, ...options } = values;
    const words = help === true ? ['help'] : positionals;
    return { words, options, isForMachines: json === true };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConsoleError(`Cannot read the command: ${error.message.split('. ', 1)[0]}; see "help"`);
  }
}

function checkUse(command: Command, values: readonly string[], options: Options): void {
  const known = command.options.map(optionName);
  const stray = Object.keys(options).filter((name) => !known.includes(name));
  if (values.length === command.values.length && stray.length === 0) return;
  throw new ConsoleError(`Cannot run "${command.words}" with these arguments: write ${usageOf(command)}`);
}

async function runOn(
  { settings }: RoleContext,
  command: Command,
  values: readonly string[],
  options: Options,
): Promise<CommandAnswer> {
  const { openMediaAdmin } = await import('../../media-server/open-media-admin.ts');
  const { runVerb } = await import('../../media-server/console/run-verb.ts');
  const { ConsoleRefusal } = await import('../../media-server/console/console-refusal.ts');
  const dataDir = join(settings.storage.dataDir, 'media-server');
  const { requestsPerMinute } = settings.mediaServer;
  try {
    using opened = await openMediaAdmin({ dataDir, requestsPerMinute });
    const { admin } = opened;
    return command.run({ admin, runVerb: (verb) => runVerb(admin, verb), values, options });
  } catch (error) {
    if (error instanceof ConsoleRefusal) throw toConsoleError(command, { values, options }, error);
    if (!(error instanceof ServiceError) || error.code !== 'no_media_server') throw error;
    throw new ConsoleError(
      `Cannot run the command: no media server was ever started in "${dataDir}"; start it once (npm run media-server), or set DATA_DIR to the folder of its files`,
    );
  }
}
