/** What an owner says about the use of their avatar by others of a guild. */
export type AvatarAnswer =
  | { readonly allow: 'everybody' }
  | { readonly allow: 'user'; readonly userId: string }
  | { readonly allow: 'nobody' };
