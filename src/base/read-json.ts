/**
 * The value of a JSON text, or `undefined` (which is not a JSON value) if the text is not JSON. Schemas refuse
 * `undefined`.
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
