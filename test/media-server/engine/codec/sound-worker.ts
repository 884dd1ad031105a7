import { MediabunnyCodec } from '../../../../src/media-server/engine/codec/mediabunny-codec.ts';
import { serveTasks } from '../../../../src/media-server/engine/pool/serve-tasks.ts';

const RATE_HZ = 8_000;

/** Decodes the sound of the file at the given path. The result is the sound's length in seconds. */
await serveTasks(async () => {
  const codec = await MediabunnyCodec.load();
  return async (path) => {
    let samples = 0;
    for await (const piece of codec.readAudio(String(path), RATE_HZ)) samples += piece.length;
    return { result: samples / RATE_HZ };
  };
});
