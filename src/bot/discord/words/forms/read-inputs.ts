import type { InputProblem, InputRequest, InputSource } from '../../../jobs/inputs/inputs.ts';
import type { AttachedFile, CommandCall } from '../../command.ts';
import { type FormReading, type FormWay, read, refuse } from './form-problem.ts';
import { type FormInput, type JobForm, NEWEST_OPTION, SAVED_FACE_OPTION, newestInputs } from './job-form.ts';
import type { FaceStore } from '../../../people/members/face-store.ts';

/**
 * Reads all inputs of a form. Each is a `known` source, an attached file, a saved face, or the channel's newest file.
 */
export async function readInputs(
  form: JobForm,
  call: CommandCall,
  faces: FaceStore,
  known: ReadonlyMap<string, InputSource>,
): Promise<FormReading<readonly InputRequest[]>> {
  const newest = call.texts.get(NEWEST_OPTION);
  const offered = newestInputs(form).map(({ option }) => option);
  if (newest !== undefined && !offered.includes(newest)) {
    return refuse({ kind: 'not_offered', option: NEWEST_OPTION, offered: offered.join(', ') });
  }
  const inputs: InputRequest[] = [];
  for (const input of form.inputs) {
    const source = known.get(input.option);
    const reading = source ? read(source) : await readInput(input, call, faces);
    if (!reading.ok) return reading;
    const { field, option, kind } = input;
    inputs.push({ field, option, kind, source: reading.value });
  }
  return read(inputs);
}

async function readInput(
  input: FormInput,
  call: CommandCall,
  faces: FaceStore,
): Promise<FormReading<InputSource>> {
  const { option, takesSavedFace } = input;
  const file = call.attachments.get(option);
  const isNewest = call.texts.get(NEWEST_OPTION) === option;
  const face = takesSavedFace ? call.texts.get(SAVED_FACE_OPTION) : undefined;
  const given = [
    ...(file ? [option] : []),
    ...(face === undefined ? [] : [SAVED_FACE_OPTION]),
    ...(isNewest ? [NEWEST_OPTION] : []),
  ];
  if (given.length > 1) return refuse({ kind: 'given_twice', options: given });
  if (file) return readFile(input, file);
  if (isNewest) return read({ from: 'newest' });
  const { userId } = call.origin;
  if (face !== undefined) {
    const found = await faces.find(userId, face);
    return found ? read({ from: 'saved_face', faceId: found.id }) : refuse({ kind: 'unknown_face' });
  }
  const usual = takesSavedFace ? await faces.default(userId) : null;
  if (usual) return read({ from: 'saved_face', faceId: usual.id });
  return refuse({ kind: 'missing', option, what: 'file', ways: otherWays(input) });
}

function readFile({ option, kind }: FormInput, file: AttachedFile): FormReading<InputSource> {
  const problem = claimProblem(kind, file);
  if (problem) return refuse({ kind: 'input', option, problem });
  return read({ from: 'chat', url: file.url, sizeBytes: file.sizeBytes });
}

/**
 * Checks only the file type that the chat declares. The content is checked later. A sound may be in a container that is
 * declared as a video.
 */
function claimProblem(expected: FormInput['kind'], { contentType }: AttachedFile): InputProblem | undefined {
  const claimed = contentType?.split('/', 1)[0];
  const isClear = claimed !== undefined && ['image', 'audio', 'video', 'text'].includes(claimed);
  if (!isClear || claimed === expected) return undefined;
  if (expected === 'audio' && claimed === 'video') return undefined;
  return { kind: 'wrong_type', expected };
}

function otherWays({ option, kind, takesSavedFace }: FormInput): readonly FormWay[] {
  return [
    ...(takesSavedFace ? [{ option: SAVED_FACE_OPTION }] : []),
    ...(kind === 'audio' ? [] : [{ option: NEWEST_OPTION, value: option }]),
  ];
}
