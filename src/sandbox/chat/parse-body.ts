import type { z } from 'zod';
import type { ViolationLog } from '../violations.ts';
import { ApiError, fieldErrors } from './api-error.ts';

/**
 * Parses a client's body with a strict schema. Drops unknown properties, as Discord does, and records them as
 * violations; rejects anything else that is invalid as `Invalid Form Body`.
 */
export function parseBody<T>(
  schema: z.ZodType<T>,
  value: unknown,
  context: { readonly what: string; readonly violations: ViolationLog },
): T {
  const first = schema.safeParse(value);
  if (first.success) return first.data;
  const unknown = first.error.issues.filter((issue) => issue.code === 'unrecognized_keys');
  if (unknown.length === 0) throw invalidForm(first.error);
  const copy: unknown = structuredClone(value);
  for (const issue of unknown) {
    for (const key of issue.keys) {
      context.violations.record('unknown_field', context.what, [...issue.path, key].join('.'));
      deleteAt(copy, [...issue.path, key]);
    }
  }
  const second = schema.safeParse(copy);
  if (!second.success) throw invalidForm(second.error);
  return second.data;
}

function deleteAt(root: unknown, path: readonly PropertyKey[]): void {
  const last = path.at(-1);
  let node = root;
  for (const key of path.slice(0, -1)) {
    if (typeof node !== 'object' || node === null) return;
    node = (node as Record<PropertyKey, unknown>)[key];
  }
  if (typeof node === 'object' && node !== null && last !== undefined) Reflect.deleteProperty(node, last);
}

function invalidForm(error: z.ZodError): ApiError {
  const leaves = error.issues.flatMap((issue) => leavesOf(issue, []));
  return new ApiError('invalidForm', fieldErrors(leaves));
}

interface Leaf {
  readonly path: readonly PropertyKey[];
  readonly code: string;
  readonly message: string;
}

function leavesOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Leaf[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const closest = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0];
    if (closest && closest.length > 0) return closest.flatMap((inner) => leavesOf(inner, path));
  }
  return [{ path, ...wording(issue) }];
}

/**
 * Returns how deeply the issues are nested. If no branch of a union matches, the client most likely meant the branch
 * with the deepest issues.
 */
function depth(issues: readonly z.core.$ZodIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}

function wording(issue: z.core.$ZodIssue): { code: string; message: string } {
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    return { code: 'BASE_TYPE_REQUIRED', message: 'This field is required' };
  }
  if (issue.code === 'too_big' && issue.origin === 'string') {
    return {
      code: 'BASE_TYPE_MAX_LENGTH',
      message: `Must be ${String(issue.maximum)} or fewer in length.`,
    };
  }
  if (issue.code === 'too_big' || issue.code === 'too_small') {
    return { code: 'BASE_TYPE_BAD_LENGTH', message: issue.message };
  }
  if (issue.code === 'custom' && typeof issue.params?.['code'] === 'string') {
    return { code: issue.params['code'], message: issue.message };
  }
  return { code: 'BASE_TYPE_BAD_VALUE', message: issue.message };
}
