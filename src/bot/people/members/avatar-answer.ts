/** An owner's decision on whether other members of a guild may use their avatar. */
export type AvatarAnswer =
  | { readonly allow: 'everybody' }
  | { readonly allow: 'user'; readonly userId: string }
  | { readonly allow: 'nobody' };
