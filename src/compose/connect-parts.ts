import type { BotParts } from './build-parts.ts';

/**
 * Connects parts that report events to the parts that act on them. Nothing else is connected after construction: a part
 * that needs another for its work gets it through its constructor.
 */
export function connectParts({ api, operator, people, jobs, sessions }: BotParts): void {
  api.onKey((state) => operator.recordKeyState(state));
  people.members.onRemoval((userId) => {
    sessions.voice.forget(userId);
    sessions.liveSwap.forget(userId);
    jobs.nudge();
  });
}
