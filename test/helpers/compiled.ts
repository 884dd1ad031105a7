import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Where Node keeps what it compiled for processes that start later: its usual folder. Most of what a short life costs
 * is to load the program.
 */
export const COMPILED: Readonly<Record<'NODE_COMPILE_CACHE', string>> = {
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
};
