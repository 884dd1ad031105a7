import { z } from 'zod';

/** A request from the engine to its thread. Each request except `close` is answered once, in the order of requests. */
export type VoiceRequest =
  | {
      readonly kind: 'open';
      readonly call: number;
      readonly stream: number;
      readonly voiceId: string;
      readonly sampleRateHz: number;
    }
  | { readonly kind: 'convert'; readonly call: number; readonly stream: number; readonly pcm: Int16Array }
  | { readonly kind: 'preview'; readonly call: number; readonly voiceId: string }
  | { readonly kind: 'close'; readonly stream: number };

/** A message from the thread: `ready` once, then the answers. */
export type VoiceAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'opened'; readonly call: number; readonly latencyFrames: number }
  | { readonly kind: 'converted'; readonly call: number; readonly pcm: Int16Array }
  | { readonly kind: 'previewed'; readonly call: number; readonly wav: Uint8Array }
  | { readonly kind: 'failed'; readonly call: number; readonly message: string };

export const voiceAnswerSchema: z.ZodType<VoiceAnswer> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready') }),
  z.object({ kind: z.literal('opened'), call: z.number(), latencyFrames: z.number() }),
  z.object({ kind: z.literal('converted'), call: z.number(), pcm: z.instanceof(Int16Array) }),
  z.object({ kind: z.literal('previewed'), call: z.number(), wav: z.instanceof(Uint8Array) }),
  z.object({ kind: z.literal('failed'), call: z.number(), message: z.string() }),
]);
