import type { PageUser } from '../../page-views.ts';
import { initials } from './initials.ts';

interface AvatarProps {
  readonly user: Pick<PageUser, 'name' | 'avatar_url' | 'colour'>;
  readonly size?: 'tiny' | 'small' | 'large';
}

/** A user's avatar, or a disc with an initial. It has no text alternative, because the name is beside it. */
export function Avatar({ user, size = 'large' }: AvatarProps) {
  if (user.avatar_url) return <img class={`avatar ${size}`} src={user.avatar_url} alt="" />;
  return (
    <span class={`avatar ${size}`} style={{ backgroundColor: user.colour }} aria-hidden="true">
      {initials(user.name, 1)}
    </span>
  );
}
