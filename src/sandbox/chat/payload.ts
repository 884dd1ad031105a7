/** A JSON object that is sent to a client or received from one. */
export type Payload = Readonly<Record<string, unknown>>;
