import { type APIEmbedField, type APIStringSelectComponent, ComponentType } from 'discord.js';
import { unreachable } from '../../../../base/errors.ts';
import type { OfferedVoice } from '../../command.ts';
import { voiceEntries } from '../forms/voice-values.ts';
import type { ComponentRow, MessageBody } from '../../wire/message-calls.ts';
import { button, buttonRow } from './buttons.ts';
import { customId } from './custom-id.ts';
import { COLOURS, messageBody } from './replies.ts';
import { momentText } from '../texts.ts';
import { SESSION_ENDS, budgetLeftText, speakerLine, usedText, voiceText } from './voice-words.ts';
import type { VoiceView } from '../../../sessions/voice-swap/desk/voice-view.ts';

/** The actions of a panel's buttons and menu; in the custom id, the action is followed by the session's id. */
export const VOICE_ACTIONS = {
  join: 'voice-join',
  leave: 'voice-leave',
  stop: 'voice-stop',
  status: 'voice-status',
  choose: 'voice-choose',
  agree: 'voice-agree',
  decline: 'voice-decline',
} as const;

const SPEAKERS_SHOWN_MAX = 15;
const OWN_VOICE =
  'You hear their own voice too. To hear only the other one, open the menu of the member in the voice channel and ' +
  'mute them for yourself; keep the bot as it is.';

/** Returns the message that shows the current state of a session, with its buttons and menu. */
export function voicePanel(view: VoiceView, voices: readonly OfferedVoice[]): MessageBody {
  if (view.phase.kind === 'ended') return endedPanel(view);
  return messageBody(
    {
      color: COLOURS.working,
      title: 'Voice conversion is on',
      description: [phaseText(view), ...ownVoiceText(view), '', speakersText(view), '', howToJoin(view)].join(
        '\n',
      ),
      fields: [timeField(view), ...moneyFields(view)],
    },
    '',
    [panelButtons(view), voiceMenu(view, voices)],
  );
}

/** Returns the reply, visible to one member, that shows the state of a session. */
export function voiceStatus(view: VoiceView): MessageBody {
  return messageBody({
    color: COLOURS.working,
    title: 'Voice conversion is on',
    description: [phaseText(view), '', speakersText(view)].join('\n'),
    fields: [timeField(view), ...moneyFields(view)],
  });
}

/** Returns the warning that is posted in the panel's channel one minute before the session ends. */
export function voiceWarning({ channelId, endsAtMs }: VoiceView): MessageBody {
  return messageBody({
    color: COLOURS.refused,
    description: `Voice conversion in <#${channelId}> ends ${momentText(endsAtMs, 'R')}. To go on after that, start it again with \`/voice start\`.`,
  });
}

function endedPanel({ phase, channelId, convertedMs, estimate }: VoiceView): MessageBody {
  const why = phase.kind === 'ended' ? SESSION_ENDS[phase.why] : '';
  const used =
    convertedMs === 0
      ? 'No speech was converted in it.'
      : `Converted: ${usedText({ convertedMs, estimate })} by our own meter; what the service bills is in \`/spend\`.`;
  const isKnown = phase.kind === 'ended' && phase.why !== 'crash';
  return messageBody({
    color: COLOURS.done,
    title: 'Voice conversion has ended',
    description: [
      `In <#${channelId}>. ${why}`,
      isKnown ? used : 'What the service bills for it is in `/spend`.',
      'Nobody is heard any more. Start it again with `/voice start`.',
    ].join('\n'),
  });
}

function phaseText({ phase, channelId, stageChannelId }: VoiceView): string {
  const where =
    stageChannelId === null ? `In <#${channelId}>.` : `From <#${channelId}> to <#${stageChannelId}>.`;
  switch (phase.kind) {
    case 'announcing':
      return `${where} The bot is just saying so there; after that those who joined are heard.`;
    case 'on':
      return `${where} Those who join are heard by this bot: their speech is sent live to a paid media service, and played back with another voice. Nobody else is listened to, and nothing is recorded.`;
    case 'interrupted':
      return `${where} The connection to Discord broke and is being made again. Nothing is sent or paid for meanwhile.`;
    case 'ended':
      return `${where} ${SESSION_ENDS[phase.why]}`;
    default:
      return unreachable(phase);
  }
}

function speakersText({ speakers }: VoiceView): string {
  if (speakers.length === 0) return 'Nobody has joined yet.';
  const more = speakers.length - SPEAKERS_SHOWN_MAX;
  return [
    ...speakers.slice(0, SPEAKERS_SHOWN_MAX).map(speakerLine),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
}

/**
 * Returns a note about members' own voices. In a stage channel it is omitted, because only converted voices are heard.
 */
function ownVoiceText({ stageChannelId }: VoiceView): readonly string[] {
  return stageChannelId === null ? [OWN_VOICE] : [];
}

function howToJoin({ usualVoice, channelId }: VoiceView): string {
  return usualVoice === undefined
    ? `To join, be in <#${channelId}> and choose a voice below.`
    : `To join, be in <#${channelId}> and press **Join** for ${voiceText(usualVoice)}, or choose a voice below.`;
}

function timeField({ endsAtMs, isRenewed }: VoiceView): APIEmbedField {
  const ends = momentText(endsAtMs, 'R');
  return {
    name: 'Time',
    value: isRenewed ? `goes on ${ends}, while somebody speaks and the budget lasts` : `ends ${ends}`,
    inline: true,
  };
}

function moneyFields(view: VoiceView): readonly APIEmbedField[] {
  const left = budgetLeftText(view);
  return [
    {
      name: 'Used',
      value: view.convertedMs === 0 ? 'nothing so far' : `${usedText(view)} (estimate)`,
      inline: true,
    },
    ...(left === '' ? [] : [{ name: 'Budget', value: left, inline: true }]),
  ];
}

function panelButtons({ sessionId }: VoiceView): ComponentRow {
  return buttonRow(
    button('success', 'Join', VOICE_ACTIONS.join, sessionId),
    button('secondary', 'Leave', VOICE_ACTIONS.leave, sessionId),
    button('secondary', 'Status', VOICE_ACTIONS.status, sessionId),
    button('danger', 'Stop', VOICE_ACTIONS.stop, sessionId),
  );
}

function voiceMenu({ sessionId }: VoiceView, voices: readonly OfferedVoice[]): ComponentRow {
  const menu: APIStringSelectComponent = {
    type: ComponentType.StringSelect,
    custom_id: customId(VOICE_ACTIONS.choose, sessionId),
    placeholder: 'Choose your voice',
    options: voiceEntries(voices).map(({ name, value, about }) => ({
      label: name,
      value,
      ...(about === '' ? {} : { description: about }),
    })),
  };
  return { type: ComponentType.ActionRow, components: [menu] };
}
