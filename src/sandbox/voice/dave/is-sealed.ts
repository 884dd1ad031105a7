const MARKER = [0xfa, 0xfa] as const;

/** Whether a frame ends with the marker of end-to-end encryption. */
export function isSealed(frame: Uint8Array): boolean {
  return frame.byteLength > MARKER.length && frame.at(-2) === MARKER[0] && frame.at(-1) === MARKER[1];
}
