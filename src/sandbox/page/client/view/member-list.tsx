import type { PageGuild, PageMember } from '../../page-views.ts';
import { ContextMenu, type MenuEntry } from '../menu/context-menu.tsx';
import { useMenu } from '../menu/use-menu.ts';
import { useChat } from '../store/use-chat.ts';
import { useCommands } from '../store/use-commands.ts';
import { Avatar } from '../parts/avatar.tsx';

interface MemberListProps {
  readonly guild: PageGuild;
  /** Called when an entry in a member's menu is chosen. The entry's effect is seen elsewhere on the page. */
  readonly onChosen: () => void;
}

/** The members of the server, online members first. */
export function MemberList({ guild, onChosen }: MemberListProps) {
  const isHere = ({ online }: PageMember): boolean => online;
  return (
    <aside class="member-list" aria-label="Members">
      <MemberGroup title="Here" guild={guild} members={guild.members.filter(isHere)} onChosen={onChosen} />
      <MemberGroup
        title="Away"
        guild={guild}
        members={guild.members.filter((member) => !isHere(member))}
        onChosen={onChosen}
      />
    </aside>
  );
}

interface MemberGroupProps extends MemberListProps {
  readonly title: 'Here' | 'Away';
  readonly members: readonly PageMember[];
}

function MemberGroup({ title, members, ...shared }: MemberGroupProps) {
  if (members.length === 0) return null;
  return (
    <section class={title === 'Away' ? 'away' : ''}>
      <h3>
        {title}, {members.length}
      </h3>
      <ul>
        {members.map((member) => (
          <MemberRow key={member.id} member={member} {...shared} />
        ))}
      </ul>
    </section>
  );
}

interface MemberRowProps extends MemberListProps {
  readonly member: PageMember;
}

function MemberRow({ guild, member, onChosen }: MemberRowProps) {
  const menu = useMenu();
  const offered = useMemberMenu(guild, member, menu.anchor !== null);
  return (
    <li>
      <button
        type="button"
        class="member"
        aria-haspopup="true"
        aria-expanded={menu.anchor !== null}
        onClick={({ currentTarget }) => menu.toggle(currentTarget)}
        {...menu.handlers}
      >
        <Avatar user={member} size="small" />
        <span class="member-name">{member.name}</span>
        {member.bot && <span class="tag">APP</span>}
        {member.admin && !member.bot && <span class="tag quiet">admin</span>}
      </button>
      {menu.anchor && (
        <ContextMenu
          label={member.name}
          anchor={menu.anchor}
          {...offered}
          onClose={menu.close}
          onChosen={onChosen}
        />
      )}
    </li>
  );
}

/** Returns the actions for a member. Commands are offered only if there is a channel for their response. */
function useMemberMenu(
  guild: PageGuild,
  member: PageMember,
  isOpen: boolean,
): { readonly entries: readonly MenuEntry[]; readonly commands: readonly MenuEntry[] } {
  const chat = useChat();
  const channelId = chat.channel.value?.id ?? null;
  const commands = useCommands(isOpen ? channelId : null);
  if (!isOpen) return { entries: [], commands: [] };
  const { id } = member;
  const mayAct = !member.bot && id !== chat.me.value?.id;
  const mention = (): void => {
    if (channelId !== null) chat.place.setDraftIn(channelId, `${chat.place.draftIn(channelId)}<@${id}> `);
  };
  return {
    entries: [
      { label: 'Mention', act: mention },
      ...(mayAct ? [{ label: `Act as ${member.name}`, act: () => chat.actAs(id) }] : []),
    ],
    commands: (commands ?? [])
      .filter(({ kind }) => kind === 'user')
      .map(({ name }) => ({
        label: name,
        act: () => void chat.try(chat.act(guild.id, 'runs-on', { name, in: channelId, member_id: id })),
      })),
  };
}
