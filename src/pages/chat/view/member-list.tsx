import type { PageGuild, PageMember } from '../../../sandbox/page/page-views.ts';
import { Avatar } from './avatar.tsx';

interface MemberListProps {
  readonly guild: PageGuild;
}

/** Who is in the server: those who are there first. */
export function MemberList({ guild }: MemberListProps) {
  const isHere = ({ online }: PageMember): boolean => online;
  return (
    <aside class="member-list" aria-label="Members">
      <MemberGroup title="Here" members={guild.members.filter(isHere)} />
      <MemberGroup title="Away" members={guild.members.filter((member) => !isHere(member))} />
    </aside>
  );
}

function MemberGroup({
  title,
  members,
}: {
  readonly title: string;
  readonly members: readonly PageMember[];
}) {
  if (members.length === 0) return null;
  return (
    <section class={title === 'Away' ? 'away' : ''}>
      <h3>
        {title}, {members.length}
      </h3>
      <ul>
        {members.map((member) => (
          <li key={member.id} class="member">
            <Avatar user={member} size="small" />
            <span class="member-name">{member.name}</span>
            {member.bot && <span class="tag">APP</span>}
            {member.admin && !member.bot && <span class="tag quiet">admin</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
