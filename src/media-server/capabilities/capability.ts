import type { z } from 'zod';
import type { MediaKind } from '../../base/media-type.ts';
import type { Capability, WireRate } from '../../media-api/wire.ts';
import type { Rate } from '../store/rates.ts';

/**
 * Everything the server needs to offer a job capability: its route, validation, price and render follow
 * from this one object. Adding a capability is one file like `photo-swap.ts` and one line in `all.ts`.
 */
export interface JobCapability<Parameters = unknown> {
  readonly feature: Capability;
  /** What its rate is per. */
  readonly unit: WireRate['unit'];
  /** The rates it starts with; administrators change them later. */
  readonly initialRate: Rate;
  /** The body fields that take file keys (all required), and the kind of media each wants. */
  readonly inputs: Readonly<Record<string, MediaKind>>;
  /** The other body fields; what it parses is stored with the job and handed to `render`. */
  readonly parameters: z.ZodType<Parameters>;
  /**
   * Renders to `outputPath`. Throws `RenderError` when the inputs are at fault or the render did not
   * complete, and the signal's reason when aborted. Absent where there is no engine for it: then submits answer
   * `capability_unavailable`.
   */
  readonly render: Render<Parameters> | undefined;
}

/** Taken from a method, so that capabilities with different parameters fit one list. */
type Render<Parameters> = {
  render(request: RenderRequest<Parameters>, signal: AbortSignal): Promise<Rendered>;
}['render'];

interface RenderRequest<Parameters> {
  /** Gives the input file of a body field. */
  readonly input: (field: string) => string;
  readonly parameters: Parameters;
  readonly outputPath: string;
}

export interface Rendered {
  readonly mime: string;
  /** Measured on the output, in the capability's unit; billed to a thousandth. */
  readonly units: number;
}
