import type { PageComponent } from '../../message-views.ts';
import type { PageGuild } from '../../page-views.ts';
import type { Choice } from './choice-menu.tsx';

const CHANNEL_NUMBERS = { text: 0, dm: 1, voice: 2, stage: 13 } as const;

/** Returns the choices of a select: its own options, or the server's members, roles or channels. */
export function choicesOf(
  { type, options = [], channel_types: types = [] }: PageComponent,
  guild: PageGuild | null,
): readonly Choice[] {
  if (type === 3) return options;
  const named = ({ id, name }: { readonly id: string; readonly name: string }, sign: string): Choice => {
    return { label: `${sign}${name}`, value: id };
  };
  const members = (guild?.members ?? []).map((member) => named(member, ''));
  const roles = (guild?.roles ?? []).map((role) => named(role, role.id === guild?.id ? '' : '@'));
  if (type === 5) return members;
  if (type === 6) return roles;
  if (type === 7) return [...members, ...roles];
  return (guild?.channels ?? [])
    .filter(({ kind }) => types.length === 0 || types.includes(CHANNEL_NUMBERS[kind]))
    .map((channel) => named(channel, '#'));
}

/** Returns the initial choice of a select. */
export function chosenAtFirst({
  options = [],
  default_values: values = [],
}: PageComponent): readonly string[] {
  return [
    ...options.filter((option) => option.default).map(({ value }) => value),
    ...values.map(({ id }) => id),
  ];
}
