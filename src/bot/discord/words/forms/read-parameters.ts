import type { InputRequest } from '../../../jobs/inputs/inputs.ts';
import type { CommandCall, OfferedVoices } from '../../command.ts';
import { type FormReading, read, refuse } from './form-problem.ts';
import type { FormParameter, JobForm } from './job-form.ts';
import { findVoice } from './voice-choices.ts';
import type { JobParameters } from '../../../jobs/job-request.ts';

/** The parameters of a form: values for the body, and files from which text must still be read. */
interface ReadParameters {
  readonly parameters: JobParameters;
  readonly inputs: readonly InputRequest[];
}

type ParameterOf<T extends FormParameter['type']> = Extract<FormParameter, { type: T }>;
/** A value, a file that contains the value, or nothing. */
type Given = string | number | InputRequest | undefined;

const LANGUAGE_TAG = /^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8}){0,3}$/;

/** Reads the parameters of a form. Omitted values are also omitted from the body. */
export function readParameters(
  form: JobForm,
  call: CommandCall,
  voices: OfferedVoices,
): FormReading<ReadParameters> {
  const parameters: Record<string, string | number> = {};
  const inputs: InputRequest[] = [];
  for (const parameter of form.parameters) {
    const reading = readParameter(parameter, call, voices);
    if (!reading.ok) return reading;
    const { value } = reading;
    if (typeof value === 'object') inputs.push(value);
    else if (value !== undefined) parameters[parameter.field] = value;
  }
  return read({ parameters, inputs });
}

function readParameter(
  parameter: FormParameter,
  call: CommandCall,
  voices: OfferedVoices,
): FormReading<Given> {
  switch (parameter.type) {
    case 'choice':
      return readChoice(parameter, call);
    case 'text':
      return readText(parameter, call);
    case 'voice':
      return readVoice(parameter, call, voices);
    case 'language':
      return readLanguage(parameter, call);
  }
}

function readChoice({ option, choices }: ParameterOf<'choice'>, call: CommandCall): FormReading<Given> {
  const given = call.numbers.get(option) ?? call.texts.get(option);
  const offered: readonly (string | number)[] = choices;
  if (given === undefined || offered.includes(given)) return read(given);
  return refuse({ kind: 'not_offered', option, offered: offered.join(', ') });
}

function readText(parameter: ParameterOf<'text'>, call: CommandCall): FormReading<Given> {
  const { option, fileOption, field, lengthMax } = parameter;
  const typed = call.texts.get(option);
  const file = call.attachments.get(fileOption);
  if (typed !== undefined && file) return refuse({ kind: 'given_twice', options: [option, fileOption] });
  if (file) {
    if (/^(image|audio|video)\//.test(file.contentType ?? '')) {
      return refuse({ kind: 'input', option: fileOption, problem: { kind: 'not_text' } });
    }
    const source = { from: 'chat', url: file.url, sizeBytes: file.sizeBytes } as const;
    return read({ field, option: fileOption, kind: 'text', source });
  }
  if (typed === undefined || typed.trim() === '') {
    return refuse({ kind: 'missing', option, what: 'text', ways: [{ option: fileOption }] });
  }
  const { length } = typed;
  if (length <= lengthMax) return read(typed);
  return refuse({ kind: 'input', option, problem: { kind: 'text_too_long', length, lengthMax } });
}

function readVoice(
  { option }: ParameterOf<'voice'>,
  call: CommandCall,
  { list }: OfferedVoices,
): FormReading<Given> {
  const given = call.texts.get(option);
  if (given === undefined) return read(undefined);
  if (list === null) return refuse({ kind: 'voices_not_known' });
  const voice = findVoice(list, given);
  return voice ? read(voice.id) : refuse({ kind: 'unknown_voice' });
}

function readLanguage({ option }: ParameterOf<'language'>, call: CommandCall): FormReading<Given> {
  const given = call.texts.get(option)?.trim();
  if (given === undefined || LANGUAGE_TAG.test(given)) return read(given);
  return refuse({ kind: 'not_offered', option, offered: 'a short tag such as en, de or pt-BR' });
}
