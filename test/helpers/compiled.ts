import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Makes Node.js store compiled code for later processes, in its usual folder. Most of the cost of a short process is
 * loading the program.
 */
export const COMPILED: Readonly<Record<'NODE_COMPILE_CACHE', string>> = {
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
};
