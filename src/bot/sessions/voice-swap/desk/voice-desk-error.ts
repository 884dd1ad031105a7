import { ServiceError } from '../../../../base/errors.ts';

export type VoiceDeskErrorCode =
  /** Discord does not report to the bot which voice channels members are in. */
  | 'unavailable'
  | 'not_in_voice'
  | 'busy'
  | 'already_on'
  | 'elsewhere'
  | 'nothing_on'
  | 'unknown_voice'
  | 'voices_unknown'
  | 'no_voice'
  | 'too_fast'
  | 'too_many_sessions'
  | 'too_many_speakers'
  | 'no_stage'
  | 'same_stage'
  | 'not_allowed'
  | 'not_moderator'
  | 'removed'
  | 'not_there'
  | 'undisclosed'
  | 'outdated'
  | 'out_of_range'
  /** This code and those after it: the voice channel could not be joined. */
  | 'forbidden'
  | 'full'
  | 'gone'
  | 'unreachable';

/** A voice conversion request is refused. `userMessage` says why, and what to do next. */
export class VoiceDeskError extends ServiceError<VoiceDeskErrorCode> {
  constructor(code: VoiceDeskErrorCode, userMessage: string, cause?: unknown) {
    super(code, `Cannot carry out a request about voice conversion: ${code}`, { userMessage, cause });
  }
}
