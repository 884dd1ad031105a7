// The order of these two imports matters: the first one saves what the second one overwrites.
import { giveBackSharedDispatcher } from './restore-shared-dispatcher.ts';
import { Agent, type Dispatcher, buildConnector, errors, request } from 'undici';

giveBackSharedDispatcher();

/** undici, loaded without affecting the dispatcher of other code in the process. No other file imports it. */
export { Agent, type Dispatcher, buildConnector, errors, request };
