import type { ConsoleState } from '../../console-wire.ts';

/** What each view of the console is drawn from. */
export interface ViewProps {
  readonly state: ConsoleState;
}
