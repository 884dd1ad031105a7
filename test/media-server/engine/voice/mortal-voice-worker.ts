import { parentPort } from 'node:worker_threads';

/** The voice worker, except that a message of 13 samples kills it before it answers. */
parentPort?.on('message', (request: { readonly pcm?: Int16Array }) => {
  if (request.pcm?.length === 13) process.exit(1);
});
await import('../../../../src/media-server/engine/voice/voice-worker.ts');
