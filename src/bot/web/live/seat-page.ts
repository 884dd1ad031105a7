import { systemClock } from '../../../base/clock.ts';
import { FRAME_RULES } from './frame-rules.ts';
import type { CloseCode, PageMessage, ToPage } from './live-wire.ts';
import { readPageMessage } from './page-messages.ts';
import type { Peer } from './peer.ts';
import { RateBucket } from '../../../base/rate-bucket.ts';
import { toHello, toState } from './to-wire.ts';
import type { LivePage, LiveSeat } from '../../sessions/live-swap/live-page.ts';
import type { LiveSwapPages } from './live-swap-pages.ts';

const COMMANDS_PER_SECOND_MAX = 20;
const CLOSES: Readonly<Record<'over' | 'replaced' | 'shutdown', CloseCode>> = {
  over: 4000,
  replaced: 4001,
  shutdown: 1001,
};
const TAKEN = { type: 'taken' } as const;

interface PageSocketOptions {
  readonly pages: LiveSwapPages;
  /** Returns the URL of the output for a key. */
  readonly outputUrl: (key: string) => string;
}

/** Connects a member's page to its session: sends each new state to the page, and executes the page's commands. */
export function seatPage(peer: Peer, pass: string, { pages, outputUrl }: PageSocketOptions): void {
  const say = (message: ToPage): void => peer.say(message);
  let seat: LiveSeat | null = null;
  const page: LivePage = {
    changed: () => void (seat && say(toState(seat.view))),
    warn: (leftSeconds) => say({ type: 'warning', leftSeconds }),
    reportProblem: (text) => say({ type: 'problem', text }),
    send: (jpeg, onSent) => peer.show(jpeg, onSent),
    close: (why) => peer.close(CLOSES[why]),
  };
  seat = pages.takeSeat(pass, page);
  if (!seat) return peer.close(4000);
  const taken: LiveSeat = seat;
  const frames = new RateBucket(systemClock, FRAME_RULES.perSecondMax);
  const commands = new RateBucket(systemClock, COMMANDS_PER_SECOND_MAX);
  peer.listen({
    onText(text) {
      const message = readPageMessage(text);
      if (message?.type === 'taken') taken.answered();
      else if (message && commands.take()) act(message, taken, { say, outputUrl });
      else return false;
      return true;
    },
    onFrame(frame) {
      say(TAKEN);
      if (frames.take()) taken.show(frame);
    },
    onGone: () => taken.leave(),
  });
  say(toHello(taken.view, pages));
  page.changed();
}

function act(
  message: Exclude<PageMessage, { type: 'taken' }>,
  seat: LiveSeat,
  {
    say,
    outputUrl,
  }: { readonly say: (message: ToPage) => void; readonly outputUrl: (key: string) => string },
): void {
  switch (message.type) {
    case 'agree':
      return void seat.agree(message.version).catch(() => {
        say({ type: 'problem', text: 'Your consent could not be stored. Try again in a moment.' });
      });
    case 'start':
      return seat.start();
    case 'stop':
      return seat.stop();
    case 'share': {
      const key = seat.share();
      return say({ type: 'output', url: key === null ? null : outputUrl(key) });
    }
    case 'unshare':
      seat.unshare();
      return say({ type: 'output', url: null });
    default:
      return message satisfies never;
  }
}
