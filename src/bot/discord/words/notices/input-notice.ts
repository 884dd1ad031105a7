import { unreachable } from '../../../../base/errors.ts';
import type { InputProblem } from '../../../jobs/inputs/inputs.ts';
import { type Notice, sizeText, notice } from './notice.ts';

type ProblemOf<Kind extends InputProblem['kind']> = Extract<InputProblem, { readonly kind: Kind }>;

const COUNT = new Intl.NumberFormat('en-US');

/** Explains what is wrong with the file in the command option `option`. */
export function inputNotice(option: string, problem: InputProblem): Notice {
  const file = `The file in \`${option}\``;
  switch (problem.kind) {
    case 'missing':
      return notice(
        'A file is missing',
        `No file was found for \`${option}\`: it is gone, or Discord shows this bot none.`,
        'Attach one and send the command again.',
      );
    case 'empty':
      return notice('Empty file', `${file} is empty.`, 'Save it again, and attach the new copy.');
    case 'too_large':
      return notice(
        'File too large',
        `${file} is ${sizeText(problem.sizeBytes)}. The most allowed is ${sizeText(problem.sizeBytesMax)}.`,
        'Make it smaller and try again.',
      );
    case 'wrong_type':
      return notice(
        'Wrong kind of file',
        `${file} is not ${KIND_NAMES[problem.expected].what}.`,
        `Attach ${KIND_NAMES[problem.expected].example}.`,
      );
    case 'unsupported_format':
      return notice(
        'Format not accepted',
        `${file} is of a kind (${problem.format}) from which private details, such as where it was made, cannot be removed here.`,
        `Save it as another kind: attach ${KIND_NAMES[problem.expected].example}.`,
      );
    case 'too_long':
      return notice(
        'Too long',
        `${file} lasts ${lengthText(problem.durationSeconds)}. The most allowed is ${lengthText(problem.durationSecondsMax)}.`,
        'Cut it shorter and try again.',
      );
    case 'undecodable':
      return unopenedNotice(
        `${file} seems to be damaged.`,
        'Open it on your device, save it again, and attach the new copy.',
      );
    case 'too_complex':
      return unopenedNotice(
        `${file} is damaged or too complex to open.`,
        'Export it again with another program, and attach the new copy.',
      );
    case 'unclear_length':
      return unclearLengthNotice(option, problem.because);
    case 'too_many_pixels':
      return pixelsNotice(option, problem);
    case 'unavailable':
      return notice(
        'File not available',
        `${file} could not be downloaded from Discord.`,
        'Attach it again in a new command.',
      );
    case 'not_text':
      return notice(
        'Not a text file',
        `${file} is not plain text.`,
        'Save your text as a .txt file in UTF-8, and attach that.',
      );
    case 'text_too_long':
      return textLengthNotice(option, problem);
    default:
      return unreachable(problem);
  }
}

function pixelsNotice(option: string, { megapixels, megapixelsMax }: ProblemOf<'too_many_pixels'>): Notice {
  return notice(
    'Picture too large',
    `The picture in \`${option}\` has ${Math.ceil(megapixels)} megapixels. The most allowed is ${megapixelsMax}.`,
    'Scale it down and try again.',
  );
}

function textLengthNotice(option: string, { length, lengthMax }: ProblemOf<'text_too_long'>): Notice {
  return notice(
    'Text too long',
    `The text in \`${option}\` has ${COUNT.format(length)} characters. The most allowed is ${COUNT.format(lengthMax)}.`,
    'Shorten it, or split it in two. An emoji counts as two characters or more.',
  );
}

function unopenedNotice(why: string, remedy: string): Notice {
  return notice('File cannot be opened', why, remedy);
}

function unclearLengthNotice(option: string, because: keyof typeof UNCLEAR_LENGTHS): Notice {
  return notice(
    'Length unclear',
    `The bot cannot measure how long the file in \`${option}\` lasts: ${UNCLEAR_LENGTHS[because]}.`,
    'Export it again with a video or sound editor, as MP4 or MP3, and attach the new copy.',
  );
}

function lengthText(seconds: number): string {
  if (seconds < 120) return `${Math.ceil(seconds)} seconds`;
  return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
}

const UNCLEAR_LENGTHS = {
  edits: 'its edit list repeats or reorders parts of it, or changes their speed',
  speed: 'one of its tracks plays at a changed speed',
  twice: 'it has two descriptions that differ',
  sound: 'its sound is stored in a way that the bot cannot read',
} as const;

const KIND_NAMES: Readonly<Record<'image' | 'audio' | 'video', { what: string; example: string }>> = {
  image: { what: 'a picture', example: 'a JPEG, PNG or WebP picture' },
  audio: { what: 'a recording', example: 'an MP3, WAV or Ogg recording' },
  video: { what: 'a video', example: 'an MP4 or WebM video' },
};
