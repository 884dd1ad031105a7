import { COMPONENT_TYPES, type ComponentBody, type ModalBody } from '../chat/component-body.ts';
import { allComponents } from '../chat/components.ts';
import type { Payload } from '../chat/payload.ts';
import { type FileInput, type Resolution, isOfferedType, resolveFile } from './resolved-data.ts';
import { choose } from './selection.ts';

/** Text, chosen values (such as ids of members, roles or channels), or uploaded files. */
type FormValue = string | readonly string[] | FileInput | readonly FileInput[];

/** The values that a member fills into a form, by the inputs' custom ids. */
export type FormValues = Readonly<Record<string, FormValue>>;

/** Returns the `data` of a completed form. Throws if Discord's client would not let the member send it. */
export function formData(resolution: Resolution, modal: ModalBody, values: FormValues): Payload {
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
  const components = filledIn(resolution, modal.components, values);
  const { resolved } = resolution;
  return {
    custom_id: modal.custom_id,
    components,
    ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
  };
}

/** Returns the components of a submitted form: only ids, types and values. */
function filledIn(
  resolution: Resolution,
  components: readonly ComponentBody[],
  values: FormValues,
): Payload[] {
  let next = 1;
  const answer = (component: ComponentBody): Payload => {
    const id = component.id ?? next++;
    return {
      type: component.type,
      id,
      ...(component.custom_id ? { custom_id: component.custom_id } : {}),
      ...(component.custom_id ? answerOf(resolution, component, values[component.custom_id]) : {}),
      ...(component.components ? { components: component.components.map(answer) } : {}),
      ...(component.component ? { component: answer(component.component) } : {}),
    };
  };
  return components.map(answer);
}

function answerOf(resolution: Resolution, input: ComponentBody, value: FormValue | undefined): Payload {
  switch (input.type) {
    case COMPONENT_TYPES.textInput:
      return { value: written(input, value) };
    case COMPONENT_TYPES.fileUpload:
      return { values: uploaded(resolution, input, value) };
    default: {
      const chosen = [value ?? []].flat();
      if (!chosen.every((entry) => typeof entry === 'string')) throw wrong(input, 'takes no files');
      return { values: value === undefined ? [] : choose(resolution, input, chosen) };
    }
  }
}

function written(input: ComponentBody, value: FormValue | undefined): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') throw wrong(input, 'takes a text');
  const { min_length: min, max_length: max } = input;
  if (value.length < (typeof min === 'number' ? min : 0)) throw wrong(input, 'takes a longer text');
  if (value.length > (typeof max === 'number' ? max : 4_000)) throw wrong(input, 'takes a shorter text');
  return value;
}

function uploaded(resolution: Resolution, input: ComponentBody, value: FormValue | undefined): string[] {
  const files = [value ?? []].flat().map((entry) => {
    if (typeof entry === 'string') throw wrong(input, 'takes files');
    return entry;
  });
  const { max_values: max, file_types: types } = input;
  if (files.length > (typeof max === 'number' ? max : 1)) throw wrong(input, 'takes fewer files');
  return files.map((file) => {
    if (!isOfferedType(Array.isArray(types) ? types : null, file)) {
      throw wrong(input, 'does not take this type of file');
    }
    return resolveFile(resolution, file);
  });
}

function wrong(input: ComponentBody, why: string): Error {
  return new Error(`Cannot submit: "${input.custom_id}" ${why}`);
}
