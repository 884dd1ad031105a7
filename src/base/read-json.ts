/** Parses JSON. Returns `undefined`, which is not a JSON value and which schemas reject, if the text is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
