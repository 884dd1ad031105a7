import { z } from 'zod';

/** The resources that the process has used since it started. */
export interface ChildUse {
  readonly residentBytes: number;
  readonly cpuSeconds: number;
}

/** The messages that a child sends, each as one line of JSON: `ready` once, then one answer for each task. */
export type TaskMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly result?: unknown; readonly use: ChildUse }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** The code of a system error, such as `ENOENT`; null for other errors. */
      readonly systemCode: string | null;
      readonly use: ChildUse;
    };

const use: z.ZodType<ChildUse> = z.object({ residentBytes: z.number(), cpuSeconds: z.number() });

export const taskMessage: z.ZodType<TaskMessage> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('done'), result: z.unknown().optional(), use }),
  z.object({ kind: z.literal('failed'), message: z.string(), systemCode: z.string().nullable(), use }),
]);
