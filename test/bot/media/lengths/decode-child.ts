import { decodedLengths } from './decoded-length.ts';

// mediabunny's decoder leaves unhandled promises behind when a packet is broken.
process.on('unhandledRejection', () => undefined);
process.on('message', (path: string) => {
  void decodedLengths(path).then((lengths) => process.send?.(lengths));
});
