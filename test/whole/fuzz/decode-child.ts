/** Is sent a path, answers with the length of each decoder as soon as it has it, and sends `null` at the end. */
import { decodedLengths } from '../../bot/media/lengths/decoded-lengths.ts';

// mediabunny's decoder leaves unhandled promises behind when a packet is broken.
process.on('unhandledRejection', () => undefined);
process.on('message', (path: string) => {
  void decodedLengths(path, (length) => process.send?.(length)).then(() => process.send?.(null));
});
