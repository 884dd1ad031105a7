import { useSession } from '../use-session.ts';
import type { LinkState } from '../link/live-link.ts';

interface Words {
  readonly title: string;
  readonly text: string;
  readonly button?: string;
}

const GONE: Words = {
  title: 'This link does not work any more',
  text: 'Each link is good for one visit, for a few minutes. Use /live start in the chat to get a new one. Nothing was switched on, and nothing was charged by opening it.',
};
const REFUSED: Readonly<Record<Extract<LinkState, { kind: 'refused' }>['why'], Words>> = {
  gone: GONE,
  malformed: GONE,
  foreign: {
    title: 'This is not the address that was given to you',
    text: 'Open the link in the chat as it is. If that is what you did, tell whoever runs the bot.',
  },
  stopped: {
    title: 'The bot is switched off',
    text: 'Try again in a moment.',
    button: 'Try again',
  },
};
const OTHERS: Readonly<Record<Exclude<LinkState['kind'], 'refused'>, Words>> = {
  opening: { title: 'One moment', text: 'Connecting to the bot …' },
  open: { title: 'One moment', text: 'Connecting to the bot …' },
  lost: { title: 'The bot does not answer', text: 'It is tried again by itself. Is this computer online?' },
  replaced: {
    title: 'You opened this page again elsewhere',
    text: 'Only one page at a time has your picture. The camera of this one is off.',
    button: 'Use this page instead',
  },
  over: {
    title: 'It is over',
    text: 'Nothing is live, and your camera is off. Use /live start in the chat for another one, and /spend to see what it cost.',
  },
};

/** Explains why the page shows nothing, and what to do about it. */
export function LinkNotice() {
  const { link, hello } = useSession();
  const state = link.state.value;
  // The page has been connected before, so the session existed and has ended.
  const isOver = state.kind === 'refused' && hello.value !== null;
  const { title, text, button } =
    state.kind === 'refused' && !isOver
      ? REFUSED[state.why]
      : OTHERS[state.kind === 'refused' ? 'over' : state.kind];
  return (
    <output class="card single">
      <h2>{title}</h2>
      <p class="lead">{text}</p>
      {button && (
        <button class="primary" onClick={() => void link.open()}>
          {button}
        </button>
      )}
    </output>
  );
}
