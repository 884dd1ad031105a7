import type { MasqueradeOptions } from './masquerade-options.ts';

/** The secrets that webhooks may be signed with just now. */
export function signingSecrets({
  signingSecrets: secrets = [],
}: MasqueradeOptions['mediaApi']): readonly string[] {
  return typeof secrets === 'function' ? secrets() : secrets;
}
