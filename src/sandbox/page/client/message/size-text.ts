const KILO = 1024;

/** Returns a file's size as readable text, such as `81 KB`. */
export function sizeText(bytes: number): string {
  if (bytes < KILO) return `${bytes} bytes`;
  const kilobytes = bytes / KILO;
  return kilobytes < KILO ? `${Math.round(kilobytes)} KB` : `${(kilobytes / KILO).toFixed(1)} MB`;
}
