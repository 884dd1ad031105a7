import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandIntegerOption,
  type APIApplicationCommandStringOption,
  ApplicationCommandOptionType,
} from 'discord.js';
import { type CommandData, IN_SERVERS_ONLY, attachmentOption } from '../../command.ts';
import {
  type FormInput,
  type FormParameter,
  type JobForm,
  NEWEST_OPTION,
  SAVED_FACE_OPTION,
  newestInputs,
} from './job-form.ts';

const LANGUAGE_LENGTH_MAX = 35;
const NAME_LENGTH_MAX = 100;
const TEXT_FILE_TYPE = '.txt';

/**
 * Returns the definition of the slash command. No option is required, because each input can be given in several
 * ways.
 */
export function formCommandData(form: JobForm): CommandData {
  return {
    name: form.command,
    description: form.description,
    ...IN_SERVERS_ONLY,
    options: [
      ...form.inputs.map(({ option, description, kind }) =>
        attachmentOption(option, description, kind, false),
      ),
      ...form.parameters.flatMap(parameterOptions),
      ...form.inputs.filter((input) => input.takesSavedFace).map(savedFaceOption),
      newestOption(form),
    ],
  };
}

function parameterOptions(parameter: FormParameter): APIApplicationCommandBasicOption[] {
  switch (parameter.type) {
    case 'choice':
      return [choiceOption(parameter)];
    case 'text':
      return [
        { ...textOption(parameter), max_length: parameter.lengthMax },
        attachmentOption(
          parameter.fileOption,
          `A text file in place of ${parameter.option}`,
          TEXT_FILE_TYPE,
          false,
        ),
      ];
    case 'voice':
      return [{ ...textOption(parameter), max_length: NAME_LENGTH_MAX, autocomplete: true }];
    case 'language':
      return [{ ...textOption(parameter), max_length: LANGUAGE_LENGTH_MAX }];
  }
}

function choiceOption(
  parameter: Extract<FormParameter, { type: 'choice' }>,
): APIApplicationCommandIntegerOption | APIApplicationCommandStringOption {
  const { option: name, description } = parameter;
  const numbers = parameter.choices.filter((value) => typeof value === 'number');
  if (numbers.length > 0) {
    const choices = numbers.map((value) => ({ name: `${value}p`, value }));
    return { type: ApplicationCommandOptionType.Integer, name, description, required: false, choices };
  }
  const choices = parameter.choices.map((value) => ({ name: String(value), value: String(value) }));
  return { type: ApplicationCommandOptionType.String, name, description, required: false, choices };
}

function savedFaceOption({ option }: FormInput): APIApplicationCommandStringOption {
  const description = `One of your saved faces, in place of a file in ${option}`;
  return {
    ...textOption({ option: SAVED_FACE_OPTION, description }),
    max_length: NAME_LENGTH_MAX,
    autocomplete: true,
  };
}

function newestOption(form: JobForm): APIApplicationCommandStringOption {
  const choices = newestInputs(form).map(({ option, kind }) => ({
    name: `${option}: the newest ${kind === 'image' ? 'picture' : 'video'} in this channel`,
    value: option,
  }));
  // Without the privileged Message Content intent, the bot can see only the files that this description names.
  const description =
    'Instead of a file, the newest here that this bot made, or that came with a mention of it';
  return { ...textOption({ option: NEWEST_OPTION, description }), choices };
}

function textOption({ option, description }: { readonly option: string; readonly description: string }): {
  type: ApplicationCommandOptionType.String;
  name: string;
  description: string;
  required: false;
} {
  return { type: ApplicationCommandOptionType.String, name: option, description, required: false };
}
