import { type Notice, notice } from './notice.ts';

/** The service cannot read a file. It may report this immediately or later. */
export const UNSUPPORTED: Notice = notice(
  'Format not supported',
  'The service cannot read one of the files.',
  'Save it as JPEG or PNG (picture), MP4 (video) or WAV (recording), and try again.',
);
/** A file exceeds the limits of the service, which may report this immediately or later. */
export const TOO_LARGE: Notice = notice(
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

/** Explains, for each error code, why the service did not accept an upload or a submission. */
export const SERVICE_NOTICES: ReadonlyMap<string, Notice> = new Map(
  Object.entries({
    unauthorized: notice('Not set up', 'The media service does not accept the key of this bot.', OPERATOR),
    insufficient_balance: notice(
      'Service balance used up',
      "The bot's own account at the media service is used up. This is not your server's budget.",
      OPERATOR,
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
