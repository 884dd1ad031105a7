import { ApplicationIntegrationType, type Interaction, type PermissionsBitField } from 'discord.js';
import type { CommandData, MenuData } from '../command.ts';
import { DiscordError } from '../wire/discord-error.ts';
import { parseOrigin } from './parse-origin.ts';

/**
 * Checks again who may use a definition and where. A server's admins can loosen these conditions in their settings, and
 * an old definition may still be cached in a client; neither may have an effect here. Throws `DiscordError`:
 * `wrong_place` or `not_permitted`.
 */
export function checkDemands(data: CommandData | MenuData, interaction: Interaction): void {
  const isForUsers = data.integration_types?.includes(ApplicationIntegrationType.UserInstall) ?? false;
  if (!isForUsers && interaction.authorizingIntegrationOwners.guildId === null) {
    throw new DiscordError('wrong_place', 'Cannot run a command: the bot was not added to the server', {
      userMessage: 'This works only where the bot itself was added to the server.',
    });
  }
  if (data.nsfw === true && !parseOrigin(interaction, 0).isAgeRestricted) {
    throw new DiscordError('wrong_place', 'Cannot run a command: the channel is not age-restricted', {
      userMessage: 'This works in age-restricted channels only.',
    });
  }
  if (!hasPermissions(data.default_member_permissions ?? null, interaction.memberPermissions)) {
    throw new DiscordError('not_permitted', 'Cannot run a command: a permission is missing', {
      userMessage: 'You do not have the permission for this. Ask someone who manages this server.',
    });
  }
}

/** Null requires no permission, and `0` allows only administrators. */
function hasPermissions(needed: string | null, has: Readonly<PermissionsBitField> | null): boolean {
  if (needed === null) return true;
  if (has === null) return false;
  return has.has('Administrator') || (needed !== '0' && has.has(BigInt(needed)));
}
