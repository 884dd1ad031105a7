import type { MasqueradeOptions } from './masquerade-options.ts';

/** Returns the secrets that webhooks may be signed with now. */
export function signingSecrets({
  signingSecrets: secrets = [],
}: MasqueradeOptions['mediaApi']): readonly string[] {
  return typeof secrets === 'function' ? secrets() : secrets;
}
