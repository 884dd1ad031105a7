/** A bot in a process of its own, with options as JSON; told by a message when it answers commands. */
import { silentLogger } from '../../src/base/log.ts';
import { createMasquerade } from '../../src/compose/create-masquerade.ts';
import type { MasqueradeOptions } from '../../src/compose/masquerade-options.ts';

const options = JSON.parse(process.argv[2] ?? '') as MasqueradeOptions;
await createMasquerade({ ...options, logger: silentLogger });
process.send?.('ready');
