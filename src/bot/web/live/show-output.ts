import type { CloseCode, ToOutput } from './live-wire.ts';
import { readOutputMessage } from './page-messages.ts';
import type { Peer } from './peer.ts';
import type { LiveSwapPages } from './live-swap-pages.ts';
import type { LiveViewer } from '../../sessions/live-swap/live-viewer.ts';

const CLOSES: Readonly<Record<'over' | 'shutdown' | 'not_good', CloseCode>> = {
  over: 4000,
  shutdown: 1001,
  not_good: 4002,
};

/** Shows the output to a viewer who has its address. */
export function showOutput(peer: Peer, key: string, pages: LiveSwapPages): void {
  const say = (message: ToOutput): void => peer.say(message);
  const viewer: LiveViewer = {
    changed: (phase) => say({ type: 'state', phase }),
    send: (jpeg, onSent) => peer.show(jpeg, onSent),
    close: (why) => peer.close(CLOSES[why]),
  };
  const watch = pages.watch(key, viewer);
  if (!watch) return peer.close(4002);
  peer.listen({
    onText(text) {
      if (!readOutputMessage(text)) return false;
      watch.answered();
      return true;
    },
    // A viewer may not send pictures.
    onFrame: () => peer.close(1008),
    onGone: () => watch.leave(),
  });
  say({ type: 'state', phase: watch.phase });
}
