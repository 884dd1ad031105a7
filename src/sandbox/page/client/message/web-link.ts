/** Returns a link from untrusted text if it leads to a web page, or undefined for anything else, such as a script. */
export function webLink(url: string | undefined): string | undefined {
  return url !== undefined && /^https?:\/\//i.test(url) ? url : undefined;
}
