import { unreachable } from '../../../../base/errors.ts';
import type { JobFailure } from '../../../jobs/cards.ts';
import { limitsText } from '../forms/limits-text.ts';
import { JOB_FORMS } from '../forms/job-forms.ts';
import { type Capability, aboutText } from '../texts.ts';
import { outgrownNotice } from './budget-notice.ts';
import { inputNotice } from './input-notice.ts';
import { type Notice, notice } from './notice.ts';
import { SERVICE_NOTICES, TOO_LARGE, UNSUPPORTED } from './service-notices.ts';

/** Explains why an accepted job ended without a result. */
export function failureNotice(failure: JobFailure, capability: Capability): Notice {
  switch (failure.reason) {
    case 'input':
      return inputNotice(failure.option, failure.problem);
    case 'job':
      return JOB_NOTICES.get(failure.code) ?? unknownCode('The service could not finish this', failure.code);
    case 'service_refused':
      return SERVICE_NOTICES.get(failure.code) ?? notAcceptedNotice(failure.code, capability);
    case 'service_unreachable':
      return notice(
        'Service not reachable',
        'The media service did not answer in time.',
        'Try again in a few minutes.',
      );
    case 'budget':
      return outgrownNotice(failure, failure.cap);
    case 'not_confirmed':
      return notice(
        'Not started',
        `It would have cost **${aboutText(failure.price)}**, and there was no yes to that in time.`,
        'Press Retry if you want it after all: the same files are used again.',
      );
    case 'overrun_unseen':
      return notice(
        'Not started',
        'An earlier charge of yours was far above the amount set aside for it, and nobody reviewed it in time.',
        'Ask an admin of this server to review it with `/spend overruns`. Then press Retry: the same files are used again.',
      );
    case 'unconfirmed':
      return notice(
        'Not confirmed',
        'The media service did not say whether it took this on, so it is not sent again.',
        'Whoever runs this bot will look into it. Until then, what was set aside for it stays so.',
      );
    case 'internal':
      return notice(
        'Something went wrong',
        'This is a fault of the bot, not yours.',
        'Try again in a few minutes. If it happens again, tell whoever runs this bot the reference below.',
      );
    case 'crashed':
      return notice(
        'Something went wrong',
        'The bot failed three times while it worked on this, so it does not try again.',
        'One of the files may be damaged. Try again with other files.',
      );
    case 'cancelled':
      return notice(
        'Cancelled',
        'This was cancelled, so its result is neither shown nor kept.',
        'Send the command again if you want it after all.',
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

/**
 * The API does not document which code means that a value is out of range. For any code that could mean this, the
 * notice lists the limits of the command's values.
 */
function notAcceptedNotice(code: string, capability: Capability): Notice {
  const limits = limitsText(JOB_FORMS[capability]);
  if (limits !== '') {
    return notice(
      'Not accepted',
      'The service did not accept the files or options of this command.',
      `It takes: ${limits}.`,
    );
  }
  if (code !== 'invalid_input') return unknownCode('The service did not accept this', code);
  return notice(
    'Not accepted',
    'The service did not accept these files for this command.',
    'Try again with other files.',
  );
}

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

/** Explains that an unexpected error occurred; `reference` identifies it in the log. */
export function apologyNotice(reference: string): Notice {
  return notice(
    'Something went wrong',
    'This is a fault of the bot, not yours.',
    `Try again in a minute. If it happens again, tell whoever runs this bot this reference: \`${reference}\`.`,
  );
}

function unknownCode(happened: string, code: string): Notice {
  const shown = /^[a-z0-9_]{1,40}$/.test(code) ? ` (\`${code}\`)` : '';
  return notice('Did not work', `${happened}${shown}.`, 'Try again later, or with other files.');
}
