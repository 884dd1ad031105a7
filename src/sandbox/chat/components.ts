import { ApiError, refuseField } from './api-error.ts';
import { COMPONENT_TYPES, type ComponentBody } from './component-body.ts';
import { MESSAGE_FLAGS } from './message.ts';
import type { Payload } from './payload.ts';

const COMPONENTS_MAX = 40;
const ROWS_MAX = 5;
const TEXT_LENGTH_MAX = 4000;

/** Returns all components in a list, including nested ones. */
export function allComponents(list: readonly ComponentBody[]): ComponentBody[] {
  return list.flatMap((component) => [
    component,
    ...allComponents(component.components ?? []),
    ...allComponents(component.component ? [component.component] : []),
    ...allComponents(component.accessory ? [component.accessory] : []),
  ]);
}

/**
 * Checks the rules that apply to all components of a message together: their number, which version of components
 * they use, unique ids, and the total text length.
 */
export function checkComponents(list: readonly ComponentBody[], flags: number): void {
  const every = allComponents(list);
  const isV2 = (flags & MESSAGE_FLAGS.IS_COMPONENTS_V2) !== 0;
  if (!isV2 && list.some((component) => component.type !== COMPONENT_TYPES.row)) {
    refuseField('components', 'UNION_TYPE_CHOICES', "Value of field 'type' must be one of (1,).");
  }
  if (every.length > COMPONENTS_MAX || (!isV2 && list.length > ROWS_MAX)) {
    const most = isV2 ? COMPONENTS_MAX : ROWS_MAX;
    refuseField('components', 'BASE_TYPE_BAD_LENGTH', `Must be between 1 and ${most} in length.`);
  }
  const customIds = every.flatMap((component) => component.custom_id ?? []);
  if (new Set(customIds).size < customIds.length) {
    refuseField('components', 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated');
  }
  const textLength = every.reduce(
    (sum, component) => sum + (typeof component['content'] === 'string' ? component['content'].length : 0),
    0,
  );
  if (textLength > TEXT_LENGTH_MAX) {
    refuseField('components', 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', 'Text of components exceeds 4000');
  }
  if (isV2 && list.length === 0) throw new ApiError('emptyMessage');
}

/** Returns components as the API sends them: with consecutive ids and default values, and without empty properties. */
export function componentPayloads(list: readonly ComponentBody[]): Payload[] {
  let next = 1;
  const answer = (component: ComponentBody): Payload => {
    const id = component.id && component.id > 0 ? component.id : next++;
    const filled = Object.entries(component).filter(
      ([key, value]) => value !== null && value !== undefined && key !== 'id',
    );
    return {
      ...defaults(component.type),
      ...Object.fromEntries(filled),
      id,
      ...(component.components ? { components: component.components.map(answer) } : {}),
      ...(component.component ? { component: answer(component.component) } : {}),
      ...(component.accessory ? { accessory: answer(component.accessory) } : {}),
    };
  };
  return list.map(answer);
}

function defaults(type: number): Payload {
  const { stringSelect, userSelect, channelSelect, separator, container } = COMPONENT_TYPES;
  if (type === stringSelect || (type >= userSelect && type <= channelSelect)) {
    return { min_values: 1, max_values: 1 };
  }
  if (type === separator) return { divider: true, spacing: 1 };
  if (type === container) return { accent_color: null, spoiler: false };
  return {};
}
