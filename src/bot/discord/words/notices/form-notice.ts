import { unreachable } from '../../../../base/errors.ts';
import type { FormProblem, FormWay } from '../forms/form-problem.ts';
import { inputNotice } from './input-notice.ts';
import { type Notice, notice } from './notice.ts';

/** Explains why a member's input cannot become a job. */
export function formNotice(problem: FormProblem): Notice {
  switch (problem.kind) {
    case 'missing':
      return missingNotice(problem);
    case 'given_twice':
      return notice(
        'Given twice',
        `${codes(problem.options, 'and')} are for the same thing.`,
        'Send the command again with only one of them.',
      );
    case 'unknown_face':
      return notice(
        'No such face',
        'You have no saved face of that name.',
        'Pick one from the list that shows while you type, or save it first with `/face save`.',
      );
    case 'unknown_voice':
      return notice(
        'No such voice',
        'The media service has no voice of that name.',
        'Pick one from the list that shows while you type, or leave `voice` out. `/voices` shows them all.',
      );
    case 'voices_not_known':
      return notice(
        'Voices not known yet',
        'The media service has not said yet which voices it has.',
        'Try again in a minute, or leave `voice` out: then the service chooses one.',
      );
    case 'not_offered':
      return notice(
        'Not on offer',
        `\`${problem.option}\` does not take that value.`,
        `It takes: ${problem.offered}.`,
      );
    case 'input':
      return inputNotice(problem.option, problem.problem);
    default:
      return unreachable(problem);
  }
}

function missingNotice({ option, what, ways }: Extract<FormProblem, { kind: 'missing' }>): Notice {
  const first = what === 'file' ? `attach a file in \`${option}\`` : `write it in \`${option}\``;
  const steps = [first, ...ways.map((way) => stepText(way, what))];
  return notice(
    what === 'file' ? 'A file is missing' : 'The text is missing',
    `There is nothing in \`${option}\`.`,
    `Send the command again and ${joined(steps, 'or')}.`,
  );
}

function stepText({ option, value }: FormWay, what: 'file' | 'text'): string {
  if (value !== undefined) return `set \`${option}\` to ${value}`;
  return what === 'file' ? `choose one in \`${option}\`` : `attach a text file in \`${option}\``;
}

function codes(options: readonly string[], word: 'and' | 'or'): string {
  return joined(
    options.map((option) => `\`${option}\``),
    word,
  );
}

/** Returns a list such as "a", "a or b" or "a, b or c". */
function joined(parts: readonly string[], word: 'and' | 'or'): string {
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} ${word} ${last}`;
}
