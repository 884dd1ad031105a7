// The order of these two imports matters: the first one saves what the second one overwrites.
import { restoreSharedDispatcher } from './restore-shared-dispatcher.ts';
import { Agent, type Dispatcher, buildConnector, errors, request } from 'undici';

restoreSharedDispatcher();

/** undici, loaded without affecting the dispatcher that other code in the process uses. No other file imports it. */
export { Agent, type Dispatcher, buildConnector, errors, request };
