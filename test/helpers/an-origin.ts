import type { CallOrigin } from '../../src/bot/jobs/call-origin.ts';

/** Returns the origin of a call that a member without special permissions makes in a plain channel. */
export function anOrigin(changes: Partial<CallOrigin> = {}): CallOrigin {
  return {
    interactionId: '1',
    applicationId: '2',
    guildId: '3',
    channelId: '4',
    parentChannelIds: [],
    isAgeRestricted: false,
    userId: '5',
    roleIds: [],
    isAdmin: false,
    isModerator: false,
    isVoiceModerator: false,
    locale: 'en-US',
    interactionToken: 'token',
    receivedAtMs: 0,
    attachmentSizeLimitBytes: 10_000_000,
    ...changes,
  };
}
