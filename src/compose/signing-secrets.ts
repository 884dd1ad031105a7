import type { MasqueradeOptions } from './masquerade-options.ts';

/** Returns the secrets that webhooks may currently be signed with. */
export function signingSecrets({
  signingSecrets: secrets = [],
}: MasqueradeOptions['mediaApi']): readonly string[] {
  return typeof secrets === 'function' ? secrets() : secrets;
}
