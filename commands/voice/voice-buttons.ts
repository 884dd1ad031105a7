import type { CommandResult, Component } from '../../src/bot/discord/command.ts';
import { MORE_VOICES, readVoiceValue } from '../../src/bot/discord/words/forms/voice-values.ts';
import { doneReply, sentenceReply } from '../../src/bot/discord/words/replies/replies.ts';
import { VOICE_ACTIONS, voiceStatus } from '../../src/bot/discord/words/replies/voice-panel.ts';
import { joinedReply } from '../../src/bot/discord/words/replies/joined-reply.ts';

const NOTHING_ON = 'No voice conversion is on in this server any more. Start one with `/voice start`.';

/**
 * The panel's "Join" button. The member joins with the voice that they used last, or else with the voice of the member
 * who started the session.
 */
export const joinVoice: Component = {
  action: VOICE_ACTIONS.join,
  answer: 'update',
  execute: async ({ origin }, { voice }) => whisper(joinedReply(await voice.join(origin))),
};

/** The panel's select menu. The member joins with the selected voice, or changes to it. */
export const chooseVoice: Component = {
  action: VOICE_ACTIONS.choose,
  answer: 'update',
  async execute({ origin, values: [value = ''] }, { voice, voices }) {
    const choice = value === MORE_VOICES ? undefined : readVoiceValue(voices.list ?? [], value);
    if (!choice) return whisper(sentenceReply('Choose among all voices with `/voice join`.'));
    return whisper(joinedReply(await voice.join(origin, choice)));
  },
};

/** The panel's "Leave" button. The bot stops listening to the member who presses it. */
export const leaveVoice: Component = {
  action: VOICE_ACTIONS.leave,
  answer: 'update',
  async execute({ origin }, { voice }) {
    const wasIn = await voice.leave(origin);
    const happened = wasIn ? 'You have left.' : 'You were not in it.';
    return whisper(sentenceReply(`${happened} Nothing that you say is listened to by the bot.`));
  },
};

/** The panel's "Stop" button ends the session. */
export const stopVoice: Component = {
  action: VOICE_ACTIONS.stop,
  answer: 'update',
  async execute({ origin }, { voice }) {
    await voice.stop(origin);
    return { kind: 'nothing' };
  },
};

/** The panel's "Status" button shows the current state. */
export const voiceStatusButton: Component = {
  action: VOICE_ACTIONS.status,
  answer: 'update',
  async execute({ origin }, { voice }) {
    const view = await voice.status(origin.guildId);
    return whisper(view ? voiceStatus(view) : sentenceReply(NOTHING_ON));
  },
};

/** The "I agree" button below the consent wording, which only the member sees. */
export const agreeToVoice: Component = {
  action: VOICE_ACTIONS.agree,
  answer: 'update',
  async execute({ origin, args: [sessionId = ''] }, { voice }) {
    return { kind: 'reply', reply: joinedReply(await voice.agree(origin, sessionId)) };
  },
};

/** The "Not now" button declines consent. */
export const declineVoice: Component = {
  action: VOICE_ACTIONS.decline,
  answer: 'update',
  execute: () => Promise.resolve(doneReply('Not joined', 'Nothing that you say is listened to by the bot.')),
};

function whisper(reply: ReturnType<typeof joinedReply>): CommandResult {
  return { kind: 'whisper', reply };
}
