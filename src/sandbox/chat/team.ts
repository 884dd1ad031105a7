import type { Payload } from './payload.ts';
import { userPayload } from './payloads.ts';
import type { Team, TeamMember, User } from './user.ts';

const MEMBERSHIP_STATES = { invited: 1, accepted: 2 } as const;
/** The flag of the user that represents a team. */
const TEAM_PSEUDO_USER = 1 << 10;

/** Returns a team as the application's own bot receives it. */
export function teamPayload(team: Team): Payload {
  return {
    id: team.id,
    icon: null,
    name: team.name,
    owner_user_id: team.ownerId,
    members: team.members.map((member) => teamMemberPayload(team, member)),
  };
}

/** Returns the pseudo-user that the API gives as the owner of a team's application. */
export function teamUserPayload({ id }: Team): Payload {
  const user: User = {
    id,
    username: `team${id}`,
    globalName: null,
    avatar: null,
    bot: false,
    acceptsDirectMessages: false,
  };
  const flags = { public_flags: TEAM_PSEUDO_USER, flags: TEAM_PSEUDO_USER };
  return { ...userPayload(user), discriminator: '0000', ...flags };
}

function teamMemberPayload(team: Team, { user, role, state }: TeamMember): Payload {
  return {
    user: userPayload(user),
    team_id: team.id,
    membership_state: MEMBERSHIP_STATES[state],
    role,
    permissions: ['*'],
  };
}
