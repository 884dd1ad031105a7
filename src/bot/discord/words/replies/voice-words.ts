import { ZERO, formatUsd } from '../../../../base/money.ts';
import { quotedText } from '../plain-text.ts';
import { PERIOD_NAMES, aboutText, durationText, momentText } from '../texts.ts';
import type { SessionEnd, VoiceView } from '../../../sessions/voice-swap/desk/voice-view.ts';
import type { ParticipantView } from '../../../sessions/voice-swap/desk/participant-view.ts';

const VOICE_LENGTH_MAX = 40;
const PROBLEM_LENGTH_MAX = 160;

/** Explains why a session ended. */
export const SESSION_ENDS: Readonly<Record<SessionEnd, string>> = {
  stopped: 'It was stopped.',
  time_up: 'Its time was up.',
  empty: 'Nobody was left in the voice channel.',
  moved: 'The bot was moved to another channel.',
  disconnected: 'The bot was disconnected from the voice channel.',
  channel_deleted: 'The voice channel was deleted.',
  unreachable: "Discord's voice servers could not be reached any more.",
  undisclosed: 'The message that told of it was deleted, and voices are not converted unseen.',
  shutdown: 'The bot was switched off.',
  crash: 'The bot broke off unexpectedly.',
};

/** Returns text such as "**Nova**" or "no change". */
export function voiceText(voice: string | null): string {
  if (voice === null) return 'no change';
  return `**${quotedText(voice, VOICE_LENGTH_MAX) || 'A voice without a name'}**`;
}

/** Returns one line about a participant. */
export function speakerLine(speaker: ParticipantView): string {
  const used = speaker.convertedMs === 0 ? '' : ` · ${usedText(speaker)}`;
  return `- <@${speaker.userId}> → ${voiceText(speaker.voice)} · ${stateText(speaker)}${used}`;
}

/** Describes the state of a participant's line in a few words. */
export function stateText({ state }: Pick<ParticipantView, 'state'>): string {
  switch (state.kind) {
    case 'quiet':
      return 'connected when they speak';
    case 'connecting':
      return 'connecting…';
    case 'live': {
      const until = momentText(state.untilMs, 'R');
      return state.problem === null
        ? `on, ends ${until}`
        : `on, ends ${until}: ${problemText(state.problem)}`;
    }
    case 'silenced':
      return 'muted by a moderator';
    case 'waiting':
      return `${problemText(state.problem)} Tried again when they speak.`;
    case 'over':
      return `over: ${problemText(state.problem)}`;
    default:
      return state satisfies never;
  }
}

/** States how much speech was converted, and its approximate cost. */
export function usedText({
  convertedMs,
  estimate,
}: Pick<ParticipantView, 'convertedMs' | 'estimate'>): string {
  const cost = estimate === ZERO ? 'nothing' : aboutText(estimate);
  return `${durationText(convertedMs)}, ${cost}`;
}

/** States how much of the server's budget is left; empty if that is not known. */
export function budgetLeftText({ budget }: Pick<VoiceView, 'budget'>): string {
  if (!budget) return '';
  return `**${formatUsd(budget.left)}** of **${formatUsd(budget.limit)}** left ${PERIOD_NAMES[budget.period].current}`;
}

function problemText(problem: string): string {
  return problem.length <= PROBLEM_LENGTH_MAX ? problem : `${problem.slice(0, PROBLEM_LENGTH_MAX - 1)}…`;
}
