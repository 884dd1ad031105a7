import { systemClock } from '../../base/clock.ts';
import { COMMAND_DEFINITIONS } from '../../../commands/all.ts';
import { SettingsError } from '../../bot/settings/settings-error.ts';
import { registerByToken } from '../../bot/discord/wire/register-by-token.ts';
import type { Role } from './role.ts';

const USAGE = 'register takes no arguments, or --guild and the id of one server: register --guild 1234567890';

/** `register`: publishes the command and menu definitions that have changed, and prints the changes. */
export const register: Role = async ({ settings, args, print }) => {
  const { token, apiUrl } = settings.discord;
  const guildId = guildOf(args);
  if (token === null) {
    throw new SettingsError(['DISCORD_TOKEN holds nothing: register needs the token of the bot']);
  }
  const registered = await registerByToken({
    token,
    ...(apiUrl === null ? {} : { apiUrl }),
    ...(guildId === undefined ? {} : { guildId }),
    commands: COMMAND_DEFINITIONS,
    clock: systemClock,
  });
  print(`${JSON.stringify({ registered, guild_id: guildId ?? null })}\n`);
  return null;
};

function guildOf(args: readonly string[]): string | undefined {
  const [flag, id, ...others] = args;
  if (flag === undefined) return undefined;
  const isGuild = flag === '--guild' && id !== undefined && /^\d{17,20}$/.test(id) && others.length === 0;
  if (!isGuild) throw new SettingsError([USAGE]);
  return id;
}
