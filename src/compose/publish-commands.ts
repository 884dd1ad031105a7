import type { Client } from 'discord.js';
import { COMMAND_DEFINITIONS } from '../../commands/all.ts';
import type { Dispatch } from '../bot/discord/interactions/dispatch.ts';
import {
  type RegistrationOptions,
  findRegistered,
  registerCommands,
} from '../bot/discord/wire/register-commands.ts';
import type { Basics } from './basics.ts';

/**
 * Publishes the commands to Discord, unless the options forbid it. After that, only published commands are answered. If
 * there are several processes, only the one with shard 0 publishes, because Discord limits such requests, and the
 * processes do not count theirs together.
 */
export async function publishCommands(
  { options, clock, log }: Basics,
  client: Client<true>,
  dispatch: Dispatch,
  signal: AbortSignal,
): Promise<void> {
  const { registerCommands: where = 'globally' } = options;
  if (where === 'never') return;
  const registration: RegistrationOptions = {
    rest: client.rest,
    applicationId: client.application.id,
    commands: COMMAND_DEFINITIONS,
    clock,
    ...(typeof where === 'object' ? { guildId: where.guildId } : {}),
  };
  if (!client.ws.shards.has(0)) {
    const ids = await findRegistered(registration, signal);
    // Until all commands are published, commands are recognised by their names instead of their ids.
    if (ids.length === COMMAND_DEFINITIONS.length) dispatch.expectIds(ids);
    return log.info({ found: ids.length }, 'Commands are published by the process that runs shard 0');
  }
  const registered = await registerCommands(registration, signal);
  dispatch.expectIds(registered.map((command) => command.id));
  log.info({ published: registered.length }, 'Commands are published');
  log.debug({ registered }, 'Commands as published');
}
