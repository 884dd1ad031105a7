// The order of these two imports matters: the first one saves what the second one overwrites.
import { giveBackSharedDispatcher } from './give-back-shared-dispatcher.ts';
import { Agent, type Dispatcher, buildConnector, errors, request } from 'undici';

giveBackSharedDispatcher();

/** undici, loaded without touching what other code in the process uses. The only file that imports it. */
export { Agent, type Dispatcher, buildConnector, errors, request };
