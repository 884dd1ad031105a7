import {
  type APIComponentInLabel,
  type APIFileUploadComponent,
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  type APITextInputComponent,
  ComponentType,
  TextInputStyle,
} from 'discord.js';
import { unreachable } from '../../../../base/errors.ts';
import type { Choice, OfferedVoice } from '../../command.ts';
import { type FormInput, type FormParameter, SAVED_FACE_OPTION } from '../forms/job-form.ts';
import { suggestVoices } from '../forms/voice-choices.ts';
import { plainText } from '../plain-text.ts';
import type { PickedUse } from './picked-uses.ts';
import type { SavedFace } from '../../../people/members/saved-face.ts';

/** The choices that a form offers to a member. */
export interface Offered {
  readonly faces: readonly Choice[];
  readonly defaultFace: Pick<SavedFace, 'id' | 'name'> | null;
  /** The voices to offer; null if the service has not sent its list of voices yet. */
  readonly voices: readonly OfferedVoice[] | null;
}

const DESCRIPTION_LENGTH_MAX = 100;
const CHOICES_MAX = 25;
/** The length limit for a text input in a form; longer text is attached as a file. */
const TEXT_LENGTH_MAX = 4_000;
const LANGUAGE_LENGTH_MAX = 35;
const VOICE_LENGTH_MAX = 100;

/** Returns the form for everything that a job needs in addition to the picked file. */
export function pickForm(
  id: string,
  { form, option, label: title }: PickedUse,
  offered: Offered,
): APIModalInteractionResponseCallbackData {
  return {
    custom_id: id,
    title,
    components: [
      ...form.inputs
        .filter((input) => input.option !== option)
        .flatMap((input) => inputLabels(input, offered)),
      ...form.parameters.flatMap((parameter) => parameterLabels(parameter, offered)),
    ],
  };
}

function inputLabels({ option, description, kind, takesSavedFace }: FormInput, offered: Offered): Label[] {
  const upload: APIFileUploadComponent = {
    type: ComponentType.FileUpload,
    custom_id: option,
    file_types: [kind],
  };
  if (!takesSavedFace || offered.faces.length === 0) return [label(option, description, upload)];
  const { defaultFace } = offered;
  const usual = defaultFace && `Leave both empty for "${plainText(defaultFace.name, 40)}", your default face`;
  const faces = offered.faces.slice(0, CHOICES_MAX).map(({ name, value }) => ({ label: name, value }));
  return [
    label(option, description, { ...upload, ...OPTIONAL }),
    label(SAVED_FACE_OPTION, usual ?? `One of your saved faces, in place of a file in ${option}`, {
      ...menu(SAVED_FACE_OPTION),
      options: faces,
    }),
  ];
}

function parameterLabels(parameter: FormParameter, { voices }: Offered): Label[] {
  const { option, description } = parameter;
  switch (parameter.type) {
    case 'choice': {
      const options = parameter.choices.map((value) => ({
        label: typeof value === 'number' ? `${value}p` : value,
        value: String(value),
      }));
      return [label(option, description, { ...menu(option), options })];
    }
    case 'text': {
      const lengthMax = Math.min(parameter.lengthMax, TEXT_LENGTH_MAX);
      const style = TextInputStyle.Paragraph;
      return [
        label(option, description, { ...line(option, lengthMax), style }),
        label(parameter.fileOption, `A text file in place of ${option}, for longer texts`, {
          ...OPTIONAL,
          type: ComponentType.FileUpload,
          custom_id: parameter.fileOption,
          file_types: ['.txt'],
        }),
      ];
    }
    case 'voice': {
      const choices = suggestVoices(voices ?? [], '');
      const isWhole = choices.length > 0 && choices.length === voices?.length;
      if (!isWhole) return [label(option, description, line(option, VOICE_LENGTH_MAX))];
      const options = choices.map(({ name, value }) => ({ label: name, value }));
      return [label(option, description, { ...menu(option), options })];
    }
    case 'language':
      return [label(option, description, line(option, LANGUAGE_LENGTH_MAX))];
    default:
      return unreachable(parameter);
  }
}

type Label = APILabelComponent;

/** Discord requires both fields for optional inputs. */
const OPTIONAL = { required: false, min_values: 0 } as const;

function menu(custom_id: string): { type: ComponentType.StringSelect; custom_id: string } & typeof OPTIONAL {
  return { type: ComponentType.StringSelect, custom_id, ...OPTIONAL };
}

function line(custom_id: string, max_length: number): APITextInputComponent {
  return {
    type: ComponentType.TextInput,
    custom_id,
    style: TextInputStyle.Short,
    max_length,
    required: false,
  };
}

function label(option: string, description: string, component: APIComponentInLabel): Label {
  const words = option.replaceAll('_', ' ');
  return {
    type: ComponentType.Label,
    label: `${words.charAt(0).toUpperCase()}${words.slice(1)}`,
    description: plainText(description, DESCRIPTION_LENGTH_MAX),
    component,
  };
}
