import { formatUsd } from '../../../base/money.ts';
import type { LiveSwapEnd } from '../../sessions/live-swap/live-swap-end.ts';
import { FRAME_RULES } from './frame-rules.ts';
import type { Hello, State } from './live-wire.ts';
import type { LiveSwapPages } from './live-swap-pages.ts';
import type { LiveSwapView } from '../../sessions/live-swap/live-swap-view.ts';

const ENDS: Readonly<Record<LiveSwapEnd, string>> = {
  stopped: 'You stopped it.',
  closed: 'Its page was closed.',
  silent: 'No pictures came from your camera any more, so it was ended.',
  granted: 'The time that the media service granted is used up.',
  lost: 'The connection to the media service broke.',
  not_allowed: 'It is not allowed here any more: a rule of the server changed, or the bot was paused.',
  consent_gone: 'Your consent was taken back.',
  face_gone: 'The saved face is not there any more.',
  expired: 'It was not started in time, or there is a newer link.',
  shutdown: 'The bot was switched off.',
};
const AGAIN = 'Use /live start in the chat for another one.';

/** Returns the first message to a page, with the facts that do not change. */
export function toHello(view: LiveSwapView, { consent, service, limits }: LiveSwapPages): Hello {
  const { guildName, minutes, prompt, face, perMinute, expected } = view;
  return {
    type: 'hello',
    guildName,
    service,
    minutes,
    prompt,
    face,
    perMinute,
    heldMax: expected,
    consent: { version: consent.version, paragraphs: consent.paragraphs },
    frames: { ...FRAME_RULES, aheadMax: limits.aheadMax },
    silentSeconds: limits.silentMs / 1000,
  };
}

export function toState({ isAgreed, phase }: LiveSwapView): State {
  switch (phase.kind) {
    case 'waiting':
      return { type: 'state', phase: 'waiting', agreed: isAgreed, startByMs: phase.untilMs };
    case 'connecting':
      return { type: 'state', phase: 'connecting' };
    case 'live': {
      const { grantedSeconds, meteredMs, leftMs, estimate, held, prompt, viewers } = phase;
      return {
        type: 'state',
        phase: 'live',
        usedSeconds: Math.floor(meteredMs / 1000),
        leftSeconds: Math.ceil(leftMs / 1000),
        grantedSeconds,
        used: estimate,
        left: Math.max(0, held - estimate),
        prompt,
        viewers,
      };
    }
    case 'ended': {
      const { why, meteredMs, estimate, charged } = phase;
      const cost = charged === null ? '' : ` It cost ${formatUsd(charged)}.`;
      return {
        type: 'state',
        phase: 'ended',
        why,
        text: `${ENDS[why]}${cost} ${AGAIN}`,
        usedSeconds: Math.floor(meteredMs / 1000),
        used: estimate,
        charged,
      };
    }
    default:
      return phase satisfies never;
  }
}
