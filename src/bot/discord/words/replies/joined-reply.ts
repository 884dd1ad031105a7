import type { MessageBody } from '../../wire/message-calls.ts';
import { accessNotice } from '../notices/access-notice.ts';
import { button, buttonRow } from './buttons.ts';
import { COLOURS, messageBody, noticeEmbed } from './replies.ts';
import { GATED_NAMES, NOTHING_CHARGED } from '../texts.ts';
import { VOICE_ACTIONS } from './voice-panel.ts';
import { stateText, voiceText } from './voice-words.ts';
import type { Joined } from '../../../sessions/voice-swap/desk/joined.ts';

/** Returns the reply to a member who wants to join; only they can see it. */
export function joinedReply(joined: Joined): MessageBody {
  switch (joined.kind) {
    case 'joined':
      return inItReply(joined);
    case 'ask':
      return askReply(joined);
    case 'refused': {
      const about = GATED_NAMES['voice_swap'] ?? '';
      return messageBody(noticeEmbed(accessNotice(joined.access), about, COLOURS.refused, NOTHING_CHARGED));
    }
    default:
      return joined satisfies never;
  }
}

function inItReply({ view, speaker }: Extract<Joined, { kind: 'joined' }>): MessageBody {
  const { state } = speaker;
  const hasProblem = state.kind === 'over' || state.kind === 'waiting';
  const voice =
    speaker.voice === null
      ? 'Your voice is passed through the service without a change.'
      : `What you say there is heard as ${voiceText(speaker.voice)}.`;
  return messageBody({
    color: hasProblem ? COLOURS.refused : COLOURS.done,
    title: hasProblem ? 'You are in it, but not connected' : 'You are in it',
    description: [
      state.kind === 'over'
        ? `Nothing that you say in <#${view.channelId}> is listened to.`
        : `You are listened to in <#${view.channelId}> from now on. ${hasProblem ? '' : voice}`.trim(),
      `- **Just now**: ${view.phase.kind === 'announcing' ? 'the bot is saying so in the channel first' : stateText(speaker)}`,
      '- **To end it**: leave the voice channel, press **Leave**, or use `/voice leave`.',
    ].join('\n'),
  });
}

function askReply({ view, text }: Extract<Joined, { kind: 'ask' }>): MessageBody {
  return messageBody(
    {
      color: COLOURS.working,
      title: 'May your speech be converted?',
      description: `${text.text}\n\nYou are asked once in this server, and not listened to before you agree.`,
    },
    '',
    [
      buttonRow(
        button('success', 'I agree', VOICE_ACTIONS.agree, view.sessionId),
        button('secondary', 'Not now', VOICE_ACTIONS.decline, view.sessionId),
      ),
    ],
  );
}
