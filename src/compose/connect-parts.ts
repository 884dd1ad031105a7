import type { BotParts } from './build-parts.ts';

/**
 * Connects parts that report events to the parts that act on them. This is the only place that does so: where a part
 * needs another one for its own work, it is built with it.
 */
export function connectParts({ api, operator, people, jobs, sessions }: BotParts): void {
  api.onKey((state) => operator.recordKeyState(state));
  people.members.onRemoval((userId) => {
    sessions.voice.forget(userId);
    sessions.liveSwap.forget(userId);
    jobs.nudge();
  });
}
