import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * The usual folder in which Node.js stores compiled code for later processes. Loading the program is most of
 * the cost of a short process.
 */
export const COMPILED: Readonly<Record<'NODE_COMPILE_CACHE', string>> = {
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
};
