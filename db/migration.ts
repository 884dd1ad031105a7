/** One step of the schema. Never changed once released: a correction is a new step. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** One SQL statement each. */
  readonly statements: readonly string[];
}
