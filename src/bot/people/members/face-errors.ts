import { ServiceError } from '../../../base/errors.ts';
import { MemberError } from './member-error.ts';

/** The number of faces that a member may save; `FACE_BYTES_MAX` is the largest size of a picture, in bytes. */
export const FACES_MAX = 10;
export const FACE_BYTES_MAX: number = 10 * 1024 * 1024;

export function badName(): MemberError {
  return new MemberError(
    'bad_name',
    'A name has up to 32 letters, digits and spaces, such as "Me smiling". Try again with another one.',
  );
}

export function nameTaken(): MemberError {
  return new MemberError(
    'name_taken',
    'You have a face of that name already. Choose another name, or delete the old one with `/face delete`.',
  );
}

export function tooMany(): MemberError {
  return new MemberError(
    'too_many',
    `You have ${FACES_MAX} faces saved, which is the most. Delete one first with \`/face delete\`.`,
  );
}

export function tooLarge(): MemberError {
  return new MemberError(
    'unusable_picture',
    `The picture is larger than ${FACE_BYTES_MAX / (1024 * 1024)} MB. Make it smaller and try again.`,
  );
}

export function unknownFace(): MemberError {
  return new MemberError(
    'unknown_face',
    'You have no saved face of that name. `/face list` shows the ones you have.',
  );
}

export function expired(): MemberError {
  return new MemberError('expired', 'This picture is no longer waiting. Send `/face save` again to save it.');
}

export function neverSwapped(): MemberError {
  return new MemberError(
    'never_swap',
    'You chose that your face is never swapped. To change that, use `/privacy never-swap`.',
  );
}

export function notFetched(cause: unknown): MemberError {
  return new MemberError(
    'unusable_picture',
    'The picture could not be downloaded from Discord. Press the button again, or attach it again with `/face save`.',
    cause,
  );
}

/** Returns the error, with a message for the member, for a picture that cannot be saved as a face. */
export function unusable(cause: unknown): MemberError {
  const code = cause instanceof ServiceError ? cause.code : undefined;
  const text =
    UNUSABLE.get(code ?? '') ?? 'The picture could not be opened. Press the button again in a minute.';
  return new MemberError('unusable_picture', text, cause);
}

const DAMAGED =
  'The picture is damaged, or has more than 50 megapixels. Save it again, smaller, and send the command once more.';

const UNUSABLE: ReadonlyMap<string, string> = new Map([
  ['wrong_type', 'The file is not a picture. Save a JPEG, PNG or WebP picture.'],
  ['undecodable', DAMAGED],
  ['too_complex', DAMAGED],
  ['too_many_pixels', DAMAGED],
]);
