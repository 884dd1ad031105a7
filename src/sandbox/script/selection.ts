import { COMPONENT_TYPES, type ComponentBody } from '../chat/component-body.ts';
import { CHANNEL_TYPES } from '../chat/guild.ts';
import { type Resolution, resolveEntity } from './resolved-data.ts';

/** Whether a component is a select menu of any kind. */
export function isSelect({ type }: ComponentBody): boolean {
  const { stringSelect, userSelect, channelSelect } = COMPONENT_TYPES;
  return type === stringSelect || (type >= userSelect && type <= channelSelect);
}

/**
 * Returns the values chosen in a select menu. Members, roles and channels are chosen by id and added to `resolved`.
 * Throws if Discord's client would not let the member choose the values.
 */
export function choose(
  resolution: Resolution,
  component: ComponentBody,
  values: readonly string[],
): readonly string[] {
  const { min_values: least, max_values: most } = component;
  const min = typeof least === 'number' ? least : 1;
  const max = typeof most === 'number' ? most : 1;
  if (values.length < min || values.length > max) {
    throw new Error(`Cannot select ${values.length} values: the menu takes ${min} to ${max}`);
  }
  for (const value of values) {
    if (!isOffered(resolution, component, value)) {
      throw new Error(`Cannot select "${value}": the menu does not offer it`);
    }
    if (component.type !== COMPONENT_TYPES.stringSelect) resolveEntity(resolution, value);
  }
  return [...values];
}

function isOffered({ world, guild }: Resolution, component: ComponentBody, value: string): boolean {
  const isUser = world.users.has(value);
  const isRole = guild?.roles.has(value) ?? false;
  switch (component.type) {
    case COMPONENT_TYPES.stringSelect:
      return (component['options'] as readonly { value: string }[]).some((option) => option.value === value);
    case COMPONENT_TYPES.userSelect:
      return isUser;
    case COMPONENT_TYPES.roleSelect:
      return isRole;
    case COMPONENT_TYPES.mentionableSelect:
      return isUser || isRole;
    default: {
      const channel = guild?.channels.get(value);
      const types = component['channel_types'];
      if (!channel) return false;
      return !Array.isArray(types) || types.length === 0 || types.includes(CHANNEL_TYPES[channel.kind]);
    }
  }
}
