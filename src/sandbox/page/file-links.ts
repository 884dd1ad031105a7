/** Replaces links to files of the chat in JSON for a page by links at the page's own address. */
export function fileLinksAt(origin: string, cdnBase: string, json: string): string {
  return origin === cdnBase ? json : json.replaceAll(`${cdnBase}/`, `${origin}/`);
}
