import type { MasqueradeOptions } from './masquerade-options.ts';

/** Returns the secrets with which webhooks may currently be signed. */
export function signingSecrets({
  signingSecrets: secrets = [],
}: MasqueradeOptions['mediaApi']): readonly string[] {
  return typeof secrets === 'function' ? secrets() : secrets;
}
