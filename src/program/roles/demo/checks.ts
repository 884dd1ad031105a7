/** A condition that the demo must meet, and the figure that proves it. */
interface Check {
  readonly name: string;
  readonly passed: boolean;
  readonly figure: string;
}

/** Collects the results of all checks, so that the demo reports every check even if one fails. */
export class Checks {
  readonly #all: Check[] = [];

  get all(): readonly Check[] {
    return this.#all;
  }

  get passed(): boolean {
    return this.#all.every((check) => check.passed);
  }

  that(name: string, passed: boolean, figure: string): void {
    this.#all.push({ name, passed, figure });
  }

  /** Returns a table with a line for each check. */
  toText(): string {
    const width = Math.max(...this.#all.map(({ name }) => name.length));
    const lines = this.#all.map(
      ({ name, passed, figure }) => `  ${passed ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${figure}`,
    );
    return `${lines.join('\n')}\n`;
  }
}
