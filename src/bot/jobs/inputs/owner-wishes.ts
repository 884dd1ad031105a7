import type { InputOwner } from './inputs.ts';

/** Members' consent to the use of their pictures. Implemented in `src/bot/people/members/consent-store.ts`. */
export interface OwnerWishes {
  /** Whether this member of this guild may use pictures of these owners now. */
  allow(
    by: { readonly guildId: string; readonly userId: string },
    owners: readonly InputOwner[],
  ): Promise<boolean>;
}
