import type { z } from 'zod';
import type { MediaKind } from '../../base/media-type.ts';
import type { Capability, WireRate } from '../../media-api/wire.ts';
import type { Rate } from '../store/rates.ts';

/**
 * Everything that the server needs to offer a job capability. Its route, validation, price and rendering are derived
 * from this object. To add a capability, write one file like `photo-swap.ts` and add one line to `all.ts`.
 */
export interface JobCapability<Parameters = unknown> {
  readonly feature: Capability;
  /** The unit that the rate is charged for. */
  readonly unit: WireRate['unit'];
  /** The rates in a new database; administrators can change them. */
  readonly initialRate: Rate;
  /** The body fields that take file keys (all required), and the kind of media that each field accepts. */
  readonly inputs: Readonly<Record<string, MediaKind>>;
  /** Parses the other body fields. The result is stored with the job and passed to `render`. */
  readonly parameters: z.ZodType<Parameters>;
  /**
   * Renders to `outputPath`. Throws `RenderError` if an input cannot be used or rendering fails, and the signal's
   * reason when aborted. If there is no engine, this is undefined and submissions are answered with
   * `capability_unavailable`.
   */
  readonly render: Render<Parameters> | undefined;
}

/** Declared as a method, so that capabilities with different parameters fit into one list. */
type Render<Parameters> = {
  render(request: RenderRequest<Parameters>, signal: AbortSignal): Promise<Rendered>;
}['render'];

interface RenderRequest<Parameters> {
  /** Returns the input file of a body field. */
  readonly input: (field: string) => string;
  readonly parameters: Parameters;
  readonly outputPath: string;
}

export interface Rendered {
  readonly mime: string;
  /** The length or count of the output, in the capability's unit. It is billed to the nearest thousandth of a unit. */
  readonly units: number;
}
