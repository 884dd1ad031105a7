import { REST, Routes } from 'discord.js';
import { z } from 'zod';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import type { AnyCommandData } from '../command.ts';
import { DiscordError } from './discord-error.ts';
import { type Registered, registerCommands } from './register-commands.ts';
import { withoutRequest } from './rest-verdict.ts';

interface TokenRegistrationOptions {
  readonly token: string;
  /** The base URL of the REST API. Default: Discord's. */
  readonly apiUrl?: string;
  /** Registers in this server only. Default: globally. */
  readonly guildId?: string;
  readonly commands: readonly AnyCommandData[];
  readonly clock: Clock;
}

const ASK_DEADLINE_MS = 15_000;
const UNAUTHORIZED = 401;

const application = z.object({ id: z.string().regex(/^\d{1,20}$/) });

/**
 * Registers definitions with only the bot's token, without logging in. Throws the same errors as `registerCommands`.
 */
export async function registerByToken(options: TokenRegistrationOptions): Promise<readonly Registered[]> {
  const { token, apiUrl, clock, ...rest } = options;
  const api = apiUrl === undefined ? {} : { api: apiUrl.replace(/\/+$/, '') };
  const client = new REST({ version: '10', ...api }).setToken(token);
  try {
    return await registerCommands({ ...rest, clock, rest: client, applicationId: await ask(client, clock) });
  } finally {
    client.clearHashSweeper();
    client.clearHandlerSweeper();
  }
}

/** Returns the id of the application to which the token belongs. */
async function ask(client: REST, clock: Clock): Promise<string> {
  try {
    const answer = await withDeadline(clock, ASK_DEADLINE_MS, (signal) =>
      client.get(Routes.currentApplication(), { signal }),
    );
    return application.parse(answer).id;
  } catch (error) {
    if (error instanceof Error && 'status' in error && error.status === UNAUTHORIZED) {
      throw new DiscordError('token_refused', 'Cannot register commands: the bot token is refused');
    }
    throw withoutRequest(error, 'read the application of the token');
  }
}
