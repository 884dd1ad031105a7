/** Receives a path, sends the length that each decoder finds as soon as it is known, and `null` at the end. */
import { decodedLengths } from '../../bot/media/lengths/decoded-lengths.ts';

// mediabunny's decoder leaves unhandled rejections behind when a packet is broken.
process.on('unhandledRejection', () => undefined);
process.on('message', (path: string) => {
  void decodedLengths(path, (length) => process.send?.(length)).then(() => process.send?.(null));
});
