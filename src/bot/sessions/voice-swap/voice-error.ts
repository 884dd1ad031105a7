import { ServiceError } from '../../../base/errors.ts';

/**
 * Why a channel cannot be joined: the bot lacks a permission (`forbidden`), the channel is full, is no voice channel
 * any more (`gone`), another channel of the guild is in use (`busy`), or Discord's voice does not answer (`unreachable`).
 */
export class VoiceError extends ServiceError<'forbidden' | 'full' | 'gone' | 'busy' | 'unreachable'> {}
