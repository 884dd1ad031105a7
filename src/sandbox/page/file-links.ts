/** In JSON for a page, replaces links to the chat's files with links to the page's own address. */
export function fileLinksAt(origin: string, cdnBase: string, json: string): string {
  return origin === cdnBase ? json : json.replaceAll(`${cdnBase}/`, `${origin}/`);
}
