import { z } from 'zod';
import type { Codec } from '../codec/codec.ts';
import { loadCodec } from '../codec/load-codec.ts';
import { FaceReader } from '../face/face-reader.ts';
import { PictureFiles } from '../photo/picture-file.ts';
import { serveTasks } from '../pool/serve-tasks.ts';
import type { Renderer, RenderTools } from '../renderer.ts';
import { RENDERERS, type RenderKind } from './renderers.ts';

/** A task of the render pool: the kind of renderer and its request. */
export interface RenderTask {
  readonly kind: RenderKind;
  readonly request: unknown;
}

/** The data that a worker is started with. */
export interface CpuWorkerData {
  /** Path or name of a system FFmpeg, which replaces the optional packages. */
  readonly ffmpeg?: string | undefined;
}

const workerDataSchema: z.ZodType<CpuWorkerData> = z.object({ ffmpeg: z.string().optional() });
const taskSchema = z.object({
  kind: z.custom<RenderKind>((kind) => typeof kind === 'string' && Object.hasOwn(RENDERERS, kind)),
  request: z.unknown(),
});

await serveTasks(async () => {
  const { ffmpeg } = workerDataSchema.parse(JSON.parse(process.argv[2] ?? 'null'));
  let codec: Promise<Codec> | undefined;
  const tools: RenderTools = {
    files: await PictureFiles.load(),
    reader: await FaceReader.load(),
    codec: () => (codec ??= loadCodec(ffmpeg)),
  };
  return async (input, signal, progress) => {
    const { kind, request } = taskSchema.parse(input);
    const renderer: Renderer<unknown, unknown> = RENDERERS[kind];
    return { result: await renderer.render(renderer.request.parse(request), tools, signal, progress) };
  };
});
