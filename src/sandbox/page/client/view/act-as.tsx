import { useChat } from '../store/use-chat.ts';
import type { Scheme } from '../store/place.ts';
import { Avatar } from '../parts/avatar.tsx';

/** The menu in which the member chooses the user that the page acts as, and the page's colours. */
export function ActAs() {
  const chat = useChat();
  const me = chat.me.value;
  if (!me) return null;
  const { scheme } = chat.place;
  const guild = chat.guild.value;
  const isAdmin = (id: string): boolean => guild?.members.find((member) => member.id === id)?.admin ?? false;
  return (
    <footer class="act-as">
      <Avatar user={me} />
      <label>
        <span class="small quiet">Act as</span>
        <select
          aria-label="Act as"
          value={me.id}
          onChange={({ currentTarget }) => chat.actAs(currentTarget.value)}
        >
          {chat.people.value.map((person) => (
            <option key={person.id} value={person.id}>
              {isAdmin(person.id) ? `${person.name} (admin)` : person.name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="small quiet">Look</span>
        <select
          aria-label="Look"
          value={scheme.value}
          onChange={({ currentTarget }) => {
            scheme.value = currentTarget.value as Scheme;
          }}
        >
          <option value="system">Auto</option>
          <option value="light">Light</option>
          <option value="dark">Dark</option>
        </select>
      </label>
    </footer>
  );
}
