/** An owner's decision about the use of their avatar by other members of a guild. */
export type AvatarAnswer =
  | { readonly allow: 'everybody' }
  | { readonly allow: 'user'; readonly userId: string }
  | { readonly allow: 'nobody' };
