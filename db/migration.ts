/** One step in building the schema. A released step never changes; a correction is a new step. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** Each entry is one SQL statement. */
  readonly statements: readonly string[];
}

/** A step for both databases: `statements` for SQLite, `postgres` for PostgreSQL. */
export interface DualMigration extends Migration {
  readonly postgres: readonly string[];
}
