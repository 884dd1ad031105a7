import type { Payload } from './payload.ts';
import { userPayload } from './payloads.ts';
import type { Team, TeamMember, User } from './user.ts';

const MEMBERSHIP_STATES = { invited: 1, accepted: 2 } as const;
/** Marks the user that stands for a team. */
const TEAM_PSEUDO_USER = 1 << 10;

/** A team as the application's own bot sees it. */
export function teamPayload(team: Team): Payload {
  return {
    id: team.id,
    icon: null,
    name: team.name,
    owner_user_id: team.ownerId,
    members: team.members.map((member) => teamMemberPayload(team, member)),
  };
}

/** The owner of a team's application is no person: it stands for the team. */
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
