/** A JSON object on its way to or from a client. */
export type Payload = Readonly<Record<string, unknown>>;
