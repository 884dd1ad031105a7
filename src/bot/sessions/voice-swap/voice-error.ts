import { ServiceError } from '../../../base/errors.ts';

/**
 * A voice channel cannot be joined. The code names the cause: the bot lacks a permission (`forbidden`), the channel
 * is full (`full`) or no longer a voice channel (`gone`), another channel of the guild is in use (`busy`), or
 * Discord's voice servers do not answer (`unreachable`).
 */
export class VoiceError extends ServiceError<'forbidden' | 'full' | 'gone' | 'busy' | 'unreachable'> {}
