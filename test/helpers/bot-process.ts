/** A bot in its own process, with options as JSON. It sends a message when it answers commands. */
import { silentLogger } from '../../src/base/log.ts';
import { createMasquerade } from '../../src/compose/bot.ts';
import type { MasqueradeOptions } from '../../src/compose/options.ts';

const options = JSON.parse(process.argv[2] ?? '') as MasqueradeOptions;
await createMasquerade({ ...options, logger: silentLogger });
process.send?.('ready');
