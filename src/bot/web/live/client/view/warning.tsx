import { useSession } from '../use-session.ts';
import { clock } from '../words.ts';
import type { Live } from './meters.tsx';

const LAST_SECONDS = 60;

/** A large warning in the last minute. Screen readers announce it once, without the countdown. */
export function Warning({ live }: { readonly live: Live }) {
  const { isWarned } = useSession();
  const isShown = isWarned.value || live.leftSeconds <= LAST_SECONDS;
  return (
    <div role="alert" class="warning-place">
      {isShown && (
        <div class="warning">
          <span class="countdown" aria-hidden="true">
            {clock(live.leftSeconds)}
          </span>
          <div>
            <strong>This ends in less than a minute</strong>
            <p>Then your camera is switched off. For more time, use /live start after that.</p>
          </div>
        </div>
      )}
    </div>
  );
}
