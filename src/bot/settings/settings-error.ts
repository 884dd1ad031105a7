import { ServiceError } from '../../base/errors.ts';

/** The settings cannot be used. Each problem is one line, which names a variable and never contains a secret. */
export class SettingsError extends ServiceError<'bad_settings'> {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super('bad_settings', problems.join('\n'));
    this.problems = problems;
  }
}
