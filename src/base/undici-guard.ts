// The order of these two matters: the first looks before the second changes anything.
import { LEGACY_DISPATCHER, legacyDispatcherBefore } from './legacy-dispatcher.ts';
import 'undici';

// Loading undici 8 puts its own agent in the place that undici 6 (discord.js) uses, and that agent refuses
// undici 6's forms: every upload of a file by any discord.js in the process would fail with "body must be a
// FormData created by this undici package instance". So the place is left as it was found. Every file that
// imports undici imports this one first.
Object.assign(globalThis, { [LEGACY_DISPATCHER]: legacyDispatcherBefore });
