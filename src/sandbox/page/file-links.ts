/** Turns the links to files of the chat in what is sent to a page into links at the page's own address. */
export function fileLinksAt(origin: string, cdnBase: string, json: string): string {
  return origin === cdnBase ? json : json.replaceAll(`${cdnBase}/`, `${origin}/`);
}
