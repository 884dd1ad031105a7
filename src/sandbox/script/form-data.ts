import { COMPONENT_TYPES, type ComponentBody, type ModalBody } from '../chat/component-body.ts';
import { allComponents } from '../chat/components.ts';
import type { Payload } from '../chat/payload.ts';

/** What a member fills into a form, by custom id of the inputs. */
export type FormValues = Readonly<Record<string, string | readonly string[]>>;

/** The components of a filled-in form. Throws where Discord's client would not let the member send it. */
export function fillIn(modal: ModalBody, values: FormValues): Payload[] {
  const inputs = allComponents(modal.components).filter((component) => component.custom_id);
  for (const name of Object.keys(values)) {
    if (!inputs.some((input) => input.custom_id === name)) {
      throw new Error(`Cannot submit: the form has no input "${name}"`);
    }
  }
  for (const input of inputs) {
    if (input['required'] !== false && values[input.custom_id ?? ''] === undefined) {
      throw new Error(`Cannot submit: "${input.custom_id}" is required`);
    }
  }
  return filledIn(modal.components, values);
}

/** The components of a submitted form: only ids, types and what was filled in. */
function filledIn(
  components: readonly ComponentBody[],
  values: Readonly<Record<string, string | readonly string[]>>,
): Payload[] {
  let next = 1;
  const answer = (component: ComponentBody): Payload => {
    const id = component.id ?? next++;
    const value = values[component.custom_id ?? ''];
    return {
      type: component.type,
      id,
      ...(component.custom_id ? { custom_id: component.custom_id } : {}),
      ...(component.type === COMPONENT_TYPES.textInput ? { value: value ?? '' } : {}),
      ...(component.custom_id && component.type !== COMPONENT_TYPES.textInput
        ? { values: [value ?? []].flat() }
        : {}),
      ...(component.components ? { components: component.components.map(answer) } : {}),
      ...(component.component ? { component: answer(component.component) } : {}),
    };
  };
  return components.map(answer);
}
