import { serveTasks } from '../../../src/media-server/engine/pool/serve-tasks.ts';

/** A worker whose dependency is missing. */
await serveTasks(() => Promise.reject(new Error('No such package')));
