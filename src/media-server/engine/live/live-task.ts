import { z } from 'zod';

/** A task for a live worker: first the face to wear, then one frame at a time. */
export type LiveTask = z.infer<typeof liveTaskSchema>;

export const liveTaskSchema: z.ZodDiscriminatedUnion<
  [
    z.ZodObject<{ kind: z.ZodLiteral<'open'>; facePath: z.ZodString }>,
    z.ZodObject<{
      kind: z.ZodLiteral<'frame'>;
      jpeg: z.ZodCustom<Uint8Array, Uint8Array>;
      seconds: z.ZodNumber;
    }>,
  ]
> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('open'), facePath: z.string() }),
  z.object({ kind: z.literal('frame'), jpeg: z.instanceof(Uint8Array), seconds: z.number() }),
]);
