import type { Payload } from './payload.ts';
import { userPayload } from './payloads.ts';
import { teamPayload, teamUserPayload } from './team.ts';
import type { Application } from './user.ts';
import type { World } from './world.ts';

/** Returns the application as its own bot receives it. */
export function applicationPayload(world: World, application: Application): Payload {
  const privileged = (1 << 12) | (1 << 14) | (1 << 18);
  const flags = application.privilegedIntents ? privileged : 0;
  const firstOwnerId = [...world.guilds.values()][0]?.ownerId ?? '';
  const owner = application.owner ?? world.users.get(firstOwnerId) ?? application.bot;
  const team = 'members' in owner ? owner : null;
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: '',
    type: null,
    bot: userPayload(application.bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    flags,
    flags_new: String(flags),
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    owner: 'members' in owner ? teamUserPayload(owner) : userPayload(owner),
    approximate_guild_count: world.guilds.size,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    explicit_content_filter: 0,
    team: team && teamPayload(team),
    eligible_oauth2_scopes: [],
    integration_types_config: { 0: {} },
  };
}
