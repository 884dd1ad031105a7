import type { InputOwner } from './inputs.ts';

/** Members' consent to the use of their pictures. Implemented in `src/bot/people/members/consent-store.ts`. */
export interface OwnerWishes {
  /** Returns whether this member may currently use these owners' pictures in this guild. */
  allow(
    by: { readonly guildId: string; readonly userId: string },
    owners: readonly InputOwner[],
  ): Promise<boolean>;
}
