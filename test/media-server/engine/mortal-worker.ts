import { serveTasks } from '../../../src/media-server/engine/pool/serve-tasks.ts';

/** A worker that answers each task, and dies while idle after the task `die`. */
await serveTasks(async () => async (task) => {
  if (task === 'die') setTimeout(() => process.exit(1), 1);
  return { result: task };
});
