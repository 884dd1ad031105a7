/** One REST request and its answer, as they went over the wire. */
export interface Exchange {
  readonly method: string;
  /** Decoded, below `/api/v10`. */
  readonly path: string;
  /** The template, such as `/channels/:channelId/messages`. */
  readonly route: string;
  /** Until the answer was ready, in milliseconds. */
  readonly durationMs: number;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON (of `payload_json` when multipart), or undefined without a body. */
  readonly requestBody: unknown;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
  readonly status: number;
  /** Undefined for an empty answer. */
  readonly responseBody: unknown;
  /** Whether a fault was injected: then the answer is not the sandbox's own. */
  readonly injected: boolean;
}
