import type { ConsoleState } from '../../console-wire.ts';

/** The properties of each view of the console. */
export interface ViewProps {
  readonly state: ConsoleState;
}
