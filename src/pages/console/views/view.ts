import type { ConsoleState } from '../../../media-server/console/console-wire.ts';

/** What each view of the console is drawn from. */
export interface ViewProps {
  readonly state: ConsoleState;
}
