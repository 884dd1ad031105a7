import { serveTasks } from '../../../src/media-server/engine/pool/serve-tasks.ts';

/** A worker that lacks what it works with. */
await serveTasks(() => Promise.reject(new Error('No such package')));
