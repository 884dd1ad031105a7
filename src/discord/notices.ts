import { unreachable } from '../base/errors.ts';
import { formatUsd } from '../base/money.ts';
import type { BudgetView } from '../ledger/budget.ts';
import type { InputProblem, JobFailure, Refusal } from '../jobs/ports.ts';
import { accessNotice } from './notices/access.ts';
import { type Notice, megabytes, notice } from './notices/notice.ts';
import { PERIOD_NAMES, momentText } from './texts.ts';

/** Why a command was not taken on. */
export function refusalNotice(refusal: Refusal): Notice {
  switch (refusal.reason) {
    case 'budget':
      return budgetNotice(refusal.needed, refusal.budget);
    case 'input':
      return inputNotice(refusal.option, refusal.problem);
    case 'busy':
      return {
        title: 'Busy right now',
        happened: 'There is more work waiting than can be done soon.',
        next: 'Try again in a few minutes.',
      };
    case 'access':
      return accessNotice(refusal.access);
    default:
      return unreachable(refusal);
  }
}

function budgetNotice(needed: BudgetView['limit'], budget: BudgetView): Notice {
  const name = `${PERIOD_NAMES[budget.period].adjective} budget`;
  const resets = `${momentText(budget.resetsAtMs, 'F')} (${momentText(budget.resetsAtMs, 'R')})`;
  const left = `This server has **${formatUsd(budget.left)}** of its ${name} of **${formatUsd(budget.limit)}** left.`;
  return {
    title: `Not enough of the ${name} left`,
    happened: `This costs about **${formatUsd(needed)}**. ${left}`,
    next:
      needed > budget.limit
        ? 'That is more than the whole budget, so a server admin would have to raise it first.'
        : `The budget resets on ${resets}. A server admin can raise it sooner.`,
  };
}

/** What is wrong with the file in the command option `option`. */
export function inputNotice(option: string, problem: InputProblem): Notice {
  const file = `The file in \`${option}\``;
  switch (problem.kind) {
    case 'missing':
      return notice(
        'A file is missing',
        `There is no file in \`${option}\`.`,
        'Attach one and send the command again.',
      );
    case 'empty':
      return notice('Empty file', `${file} is empty.`, 'Save it again, and attach the new copy.');
    case 'too_large':
      return notice(
        'File too large',
        `${file} has ${megabytes(problem.sizeBytes)}. The most allowed is ${megabytes(problem.sizeBytesMax)}.`,
        'Make it smaller and try again.',
      );
    case 'wrong_type':
      return notice(
        'Wrong kind of file',
        `${file} is not ${KIND_NAMES[problem.expected].what}.`,
        `Attach ${KIND_NAMES[problem.expected].example}.`,
      );
    case 'undecodable':
      return notice(
        'File cannot be opened',
        `${file} seems to be damaged.`,
        'Open it on your device, save it again, and attach the new copy.',
      );
    case 'too_many_pixels':
      return notice(
        'Picture too large',
        `The picture in \`${option}\` has ${Math.ceil(problem.megapixels)} megapixels. The most allowed is ${problem.megapixelsMax}.`,
        'Scale it down and try again.',
      );
    case 'unavailable':
      return notice(
        'File not available',
        `${file} could not be downloaded from Discord.`,
        'Attach it again in a new command.',
      );
    default:
      return unreachable(problem);
  }
}

const KIND_NAMES: Readonly<Record<'image' | 'audio' | 'video', { what: string; example: string }>> = {
  image: { what: 'a picture', example: 'a JPEG, PNG or WebP picture' },
  audio: { what: 'an audio file', example: 'an MP3, WAV or Ogg file' },
  video: { what: 'a video', example: 'an MP4 or WebM video' },
};

/** Why an accepted job ended without a result. */
export function failureNotice(failure: JobFailure): Notice {
  switch (failure.reason) {
    case 'input':
      return inputNotice(failure.option, failure.problem);
    case 'job':
      return JOB_NOTICES.get(failure.code) ?? unknownCode('The service could not finish this', failure.code);
    case 'service_refused':
      return (
        SERVICE_NOTICES.get(failure.code) ?? unknownCode('The service did not accept this', failure.code)
      );
    case 'service_unreachable':
      return notice(
        'Service not reachable',
        'The media service did not answer in time.',
        'Try again in a few minutes.',
      );
    case 'unconfirmed':
      return notice(
        'Not confirmed',
        'The media service did not say whether it took this on, so it is not sent again.',
        'Whoever runs this bot will look into it. Until then its price stays set aside.',
      );
    case 'internal':
      return notice(
        'Something went wrong',
        'This is a fault of the bot, not yours.',
        'Try again in a few minutes. If it happens again, tell whoever runs the bot the reference below.',
      );
    case 'result_lost':
      return notice(
        'Result lost',
        'The result was made, but could not be collected in time.',
        'Send the command again.',
      );
    default:
      return unreachable(failure);
  }
}

const UNSUPPORTED = notice(
  'Format not supported',
  'The service cannot read one of the files.',
  'Save it as JPEG or PNG (pictures), MP4 (video) or WAV (audio), and try again.',
);
const TOO_LARGE = notice(
  'Too large for the service',
  'One of the files is too large or too long.',
  'Use a smaller or shorter one.',
);
const AT_CAPACITY = notice(
  'Service at capacity',
  'The media service has no room for more work right now.',
  'Try again in a few minutes.',
);
const OPERATOR = 'Please tell whoever runs this bot. Trying again will not help until they have seen to it.';

const JOB_NOTICES = new Map<string, Notice>(
  Object.entries({
    face_not_detected: notice(
      'No face found',
      'No face was found in one of the files.',
      'Use one where the face is large, sharp, and seen from the front.',
    ),
    unsupported_format: UNSUPPORTED,
    input_too_large: TOO_LARGE,
    content_rejected: notice(
      'Not allowed',
      'A content check of the service did not let this pass.',
      'Use other files. Sending the same ones again will be refused again.',
    ),
    processing_failed: notice(
      'Did not finish',
      'The service started, but could not finish.',
      'Try again. If it fails twice, use another file.',
    ),
  }),
);

const SERVICE_NOTICES = new Map<string, Notice>(
  Object.entries({
    unauthorized: notice('Not set up', 'The media service does not accept the key of this bot.', OPERATOR),
    insufficient_balance: notice(
      'Service balance used up',
      "The bot's own account at the media service is used up. This is not your server's budget.",
      OPERATOR,
    ),
    invalid_input: notice(
      'Not accepted',
      'The service did not accept these files for this command.',
      'Try again with other files.',
    ),
    unsupported_format: UNSUPPORTED,
    input_too_large: TOO_LARGE,
    capability_unavailable: notice(
      'Switched off',
      'The media service has this feature switched off.',
      'Try again later today.',
    ),
    rate_limited: AT_CAPACITY,
    at_capacity: AT_CAPACITY,
    capacity_unavailable: AT_CAPACITY,
    capacity_warming: notice(
      'Service starting up',
      'The media service is still starting up.',
      'Try again in about a minute.',
    ),
    internal_error: notice(
      'Service trouble',
      'The media service had a fault of its own.',
      'Try again in a few minutes.',
    ),
    not_found: notice('Did not work', 'The service lost track of this.', 'Send the command again.'),
  }),
);

/** An error nobody foresaw; `reference` finds it in the log. */
export function apologyNotice(reference: string): Notice {
  return notice(
    'Something went wrong',
    'This is a fault of the bot, not yours.',
    `Try again in a minute. If it happens again, tell whoever runs the bot this code: \`${reference}\`.`,
  );
}

/** The result exists but the chat does not take a file of its size. */
export const RESULT_TOO_LARGE: Notice = notice(
  'Result too large to post',
  'The result is ready, but larger than Discord lets a bot post here.',
  'It is kept. Ask whoever runs this bot for it, and name the reference below.',
);

function unknownCode(happened: string, code: string): Notice {
  const shown = /^[a-z0-9_]{1,40}$/.test(code) ? ` (\`${code}\`)` : '';
  return notice('Did not work', `${happened}${shown}.`, 'Try again later, or with other files.');
}
