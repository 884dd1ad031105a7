/** A link that somebody else wrote, when it leads to a web page; undefined for anything else, such as a script. */
export function webLink(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined;
}
