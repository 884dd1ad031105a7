import { decodedLengths } from './decoded-lengths.ts';

// mediabunny's decoder leaves rejected promises unhandled when a packet is damaged.
process.on('unhandledRejection', () => undefined);
process.on('message', (path: string) => {
  void decodedLengths(path).then((lengths) => process.send?.(lengths));
});
