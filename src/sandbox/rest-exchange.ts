/** One REST request and its response, as they were sent. */
export interface Exchange {
  readonly method: string;
  /** The decoded path below `/api/v10`. */
  readonly path: string;
  /** The route template, such as `/channels/:channelId/messages`. */
  readonly route: string;
  /** The time until the response was ready, in milliseconds. */
  readonly durationMs: number;
  readonly query: Readonly<Record<string, string>>;
  /** The request's parsed JSON (from `payload_json` if multipart); undefined if the request has no body. */
  readonly requestBody: unknown;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number }[];
  readonly status: number;
  /** The response's JSON; undefined if the response is empty. */
  readonly responseBody: unknown;
  /** Whether a fault was injected, so that the response is not the sandbox's own. */
  readonly injected: boolean;
}
