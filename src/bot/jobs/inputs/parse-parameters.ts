import { z } from 'zod';
import type { JobParameters } from '../job-request.ts';

const parameters: z.ZodType<JobParameters> = z.record(z.string(), z.union([z.string(), z.number()]));

/** Reads the parameters stored with a job. */
export function parseParameters(stored: string): JobParameters {
  return parameters.parse(JSON.parse(stored));
}
