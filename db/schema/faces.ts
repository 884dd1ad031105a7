import type { Generated, Insertable, Selectable } from 'kysely';

/** A face of a member: `pending` until they confirm that they may use it, and `deleted` until its file is removed. */
export interface FacesTable {
  id: string;
  user_id: string;
  name: string;
  state: 'pending' | 'saved' | 'deleted';
  is_default: Generated<number>;
  /** The source of the picture while it is pending; otherwise empty. */
  url: string;
  size_bytes: number | null;
  created_at_ms: number;
  attested_at_ms: number | null;
  /** The version of the wording that the member agreed to, and the scope of the consent. */
  text_version: string | null;
  scope: string | null;
}

/** A rule on whether `user_id` (empty: everyone) may use the avatar of `owner_id` in a guild. */
export interface AvatarConsentsTable {
  guild_id: string;
  owner_id: string;
  user_id: string;
  is_allowed: number;
  given_at_ms: number;
  text_version: string;
}

export type FaceRow = Selectable<FacesTable>;
export type NewFace = Insertable<FacesTable>;
export type AvatarConsentRow = Selectable<AvatarConsentsTable>;
