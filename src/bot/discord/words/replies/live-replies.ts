import type { LiveSwapEnd } from '../../../sessions/live-swap/live-swap-end.ts';
import { type APIEmbedField, ButtonStyle, ComponentType } from 'discord.js';
import { unreachable } from '../../../../base/errors.ts';
import { ZERO, formatUsd } from '../../../../base/money.ts';
import type { MessageBody } from '../../wire/message-calls.ts';
import { refusalNotice } from '../notices/refusal-notice.ts';
import { buttonRow } from './buttons.ts';
import { quotedText } from '../plain-text.ts';
import { COLOURS, messageBody, noticeEmbed } from './replies.ts';
import { AI_LABEL, GATED_NAMES, NOTHING_CHARGED, aboutText, durationText, momentText } from '../texts.ts';
import type { LiveLink, LivePhase, LiveSwapView } from '../../../sessions/live-swap/live-swap-view.ts';

const PROMPT_SHOWN_MAX = 300;
const NAME_SHOWN_MAX = 40;

const ENDS: Readonly<Record<LiveSwapEnd, string>> = {
  stopped: 'It was stopped.',
  closed: 'Its page was closed.',
  silent: 'No pictures came from the camera any more.',
  granted: 'The time that the media service granted was used up.',
  lost: 'The connection to the media service broke.',
  not_allowed: 'It was not allowed here any more.',
  consent_gone: 'Your consent was taken back.',
  face_gone: 'The saved face is not there any more.',
  expired: 'It was not started in time, or there is a newer link.',
  shutdown: 'The bot was switched off.',
};

/** Returns the reply with the link to a member's live page, or the reason why there is none. */
export function liveLinkReply(link: LiveLink): MessageBody {
  if (link.kind === 'refused') {
    const about = GATED_NAMES['live_swap_pro'] ?? '';
    return messageBody(noticeEmbed(refusalNotice(link.refusal), about, COLOURS.refused, NOTHING_CHARGED));
  }
  const { url, view } = link;
  const until = view.phase.kind === 'waiting' ? momentText(view.phase.untilMs, 'R') : '';
  return messageBody(
    {
      color: COLOURS.working,
      title: 'Your page for Live Swap Pro is ready',
      description: [
        'Open it in the browser of the computer with your camera. There you see what will happen, agree to it, choose the camera, and press **Start**. Nothing is opened, and nothing costs anything, before that.',
        `- **The link** works once, ends ${until}, and is for you alone: do not pass it on.`,
        `- **In a call**: the page gives you a second address with only the changed picture, for an OBS browser source or virtual camera. It says that it is ${AI_LABEL}.`,
        '- **To end it**: press **Stop** there, close the page, or use `/live stop`.',
      ].join('\n'),
      fields: [...wishFields(view), costField(view)],
    },
    '',
    [buttonRow({ type: ComponentType.Button, style: ButtonStyle.Link, label: 'Open the page', url })],
  );
}

/** Describes the state of a member's own session. */
export function liveStatusReply(view: LiveSwapView): MessageBody {
  const { phase } = view;
  const isOver = phase.kind === 'ended';
  return messageBody({
    color: isOver ? COLOURS.done : COLOURS.working,
    title: titleOf(phase),
    description: phaseText(phase),
    fields: [...wishFields(view), ...(phase.kind === 'live' || isOver ? [] : [costField(view)])],
  });
}

function titleOf({ kind }: LivePhase): string {
  if (kind === 'ended') return 'Live Swap Pro has ended';
  return kind === 'live' ? 'You are live' : 'Live Swap Pro is not started yet';
}

function phaseText(phase: LivePhase): string {
  switch (phase.kind) {
    case 'waiting':
      return phase.isEntered
        ? `Your page is open. Press **Start** there; it waits until ${momentText(phase.untilMs, 'R')}.`
        : `Open your page with the link that you were given; it ends ${momentText(phase.untilMs, 'R')}.`;
    case 'connecting':
      return 'Connecting to the media service…';
    case 'live':
      return liveText(phase);
    case 'ended':
      return [ENDS[phase.why], endedCost(phase)].join(' ');
    default:
      return unreachable(phase);
  }
}

function liveText(phase: Extract<LivePhase, { kind: 'live' }>): string {
  const { grantedSeconds, prompt, meteredMs, leftMs, estimate, held, viewers } = phase;
  const used =
    meteredMs === 0 ? 'nothing so far' : `${durationText(meteredMs)}, ${aboutText(estimate)} (estimate)`;
  return [
    `- **Time**: ${durationText(leftMs)} left of ${durationText(grantedSeconds * 1000)} that the service granted`,
    `- **Used**: ${used}, of ${formatUsd(held)} that is set aside`,
    ...(prompt === null ? [] : [`- **As the service understood it**: ${promptText(prompt)}`]),
    `- **Looking at the output's address**: ${viewers}`,
  ].join('\n');
}

function endedCost({ meteredMs, estimate, charged }: Extract<LivePhase, { kind: 'ended' }>): string {
  if (meteredMs === 0 || charged === ZERO) return NOTHING_CHARGED;
  if (charged !== null) return `It cost **${formatUsd(charged)}**.`;
  return `Used: ${durationText(meteredMs)}, ${aboutText(estimate)} by our own meter; what the service bills is in \`/spend\`.`;
}

function wishFields({ minutes, prompt, face }: LiveSwapView): readonly APIEmbedField[] {
  const name = face?.name;
  const worn =
    face === null
      ? []
      : [
          {
            name: 'Face',
            value: name ? `**${quotedText(name, NAME_SHOWN_MAX)}**` : 'the picture that you attached',
            inline: true,
          },
        ];
  return [
    { name: 'Asked for', value: `up to ${durationText(minutes * 60_000)}`, inline: true },
    ...worn,
    ...(prompt === null ? [] : [{ name: 'Prompt', value: promptText(prompt) }]),
  ];
}

function costField({ minutes, perMinute, expected }: LiveSwapView): APIEmbedField {
  const value =
    perMinute === null || expected === null
      ? 'By the second that your picture is changed. The service has not told its rate yet; the page shows the most that it can cost once you are live.'
      : `${aboutText(perMinute)} a minute, by the second that your picture is changed: at most ${aboutText(expected)} for ${durationText(minutes * 60_000)}. That much is set aside when you press **Start**, and what is not used is given back.`;
  return { name: 'What it costs', value };
}

function promptText(prompt: string): string {
  return quotedText(prompt, PROMPT_SHOWN_MAX);
}
