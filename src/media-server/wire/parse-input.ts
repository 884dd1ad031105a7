import type { z } from 'zod';
import { invalidInput } from './api-error.ts';

/**
 * Parses a value from outside. Throws `invalid_input` with the path and the description of the first problem.
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = issue?.path.map(String).join('.');
  const message = issue?.message ?? 'Invalid input';
  throw invalidInput(path ? `${path}: ${message}` : message);
}
