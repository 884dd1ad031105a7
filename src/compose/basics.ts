import type { Clock } from '../base/clock.ts';
import type { Disposer } from '../base/disposer.ts';
import type { Logger } from '../base/log.ts';
import type { MasqueradeOptions } from './masquerade-options.ts';

/** The values that every part of the bot is built with. `owned` disposes the parts added to it, in reverse order. */
export interface Basics {
  readonly options: MasqueradeOptions;
  readonly owned: Disposer;
  readonly clock: Clock;
  readonly log: Logger;
}
