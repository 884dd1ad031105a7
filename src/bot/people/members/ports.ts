import type { Queryable } from '../../../../db/schema.ts';
import type { CallOrigin } from '../../jobs/ports.ts';
import type { ConsentText } from './texts.ts';

/** A face that a member saved. */
export interface SavedFace {
  readonly id: string;
  readonly name: string;
  readonly isDefault: boolean;
  readonly savedAtMs: number;
  readonly sizeBytes: number;
}

/** Opens pictures of faces in a separate process. */
export interface FacePictures {
  /**
   * Makes the file at `path` a clean picture at `toPath` and returns its size in bytes; the original is gone afterwards.
   * The pictures of one owner do not hold up those of others.
   * Throws a `ServiceError` that says by its code what is wrong with the picture, such as `wrong_type` or `undecodable`.
   */
  cleanFace(path: string, toPath: string, signal: AbortSignal, owner: string): Promise<number>;
  /** A small copy, in JPEG. */
  previewFace(path: string, signal: AbortSignal): Promise<Uint8Array>;
}

/** A member's saved faces. Methods that take something on throw `MemberError`, with words for the member. */
export interface Faces {
  /** Notes a picture that is fetched only once its member says, to `attestation`, that they may use it. */
  begin(
    userId: string,
    face: { readonly name: string; readonly url: string; readonly sizeBytes: number },
  ): Promise<{ readonly faceId: string; readonly attestation: ConsentText }>;
  /** The member says that they may use it: fetches, checks and keeps the picture. Harmless to repeat. */
  attest(userId: string, faceId: string): Promise<SavedFace>;
  /** The member does not want it after all. */
  discard(userId: string, faceId: string): Promise<void>;
  /** The default first, then the newest. */
  list(userId: string): Promise<readonly SavedFace[]>;
  /** By name or id; null when there is none, or none may be used. */
  find(userId: string, nameOrId: string): Promise<SavedFace | null>;
  /** The one used when none is named; null without. */
  default(userId: string): Promise<SavedFace | null>;
  makeDefault(userId: string, nameOrId: string): Promise<SavedFace>;
  delete(userId: string, nameOrId: string): Promise<SavedFace>;
  /** Deletes all of them. */
  clear(userId: string): Promise<void>;
  /** Names that begin with or hold what was typed, at most 25, for suggestions. */
  suggest(
    userId: string,
    typed: string,
  ): Promise<readonly { readonly name: string; readonly value: string }[]>;
  /** Small copies of the faces' pictures, in the order given; one that cannot be read is left out. */
  previews(
    faces: readonly SavedFace[],
  ): Promise<readonly { readonly face: SavedFace; readonly bytes: Uint8Array }[]>;
}

/** What an owner says about the use of their avatar by others of a guild. */
export type AvatarAnswer =
  | { readonly allow: 'everybody' }
  | { readonly allow: 'user'; readonly userId: string }
  | { readonly allow: 'nobody' };

export interface Consents {
  /** Whether `byUserId` may use the avatar of `ownerId` in this guild; one's own always, unless never swapped. */
  mayUseAvatar(guildId: string, ownerId: string, byUserId: string): Promise<boolean>;
  /** Stores the owner's word, with time and wording. Throws `MemberError` `never_swap`. */
  answerAvatar(origin: CallOrigin, answer: AvatarAnswer): Promise<void>;
  /** Since when the member's face is never swapped; null while it may be. */
  neverSwapSinceMs(userId: string): Promise<number | null>;
  /** Sets or takes back "never swap my face". */
  setNeverSwap(userId: string, on: boolean): Promise<void>;
  readonly texts: { readonly avatar: ConsentText; readonly neverSwap: ConsentText };
}

/** What is stored about a member, in numbers and dates. */
export interface PrivacySummary {
  readonly faces: number;
  readonly neverSwapSinceMs: number | null;
  /** How many servers' members may use the avatar, all or some of them. */
  readonly avatarServers: number;
  /** In how many servers they agreed that their speech is converted. */
  readonly voiceServers: number;
  /** In how many they agreed that their camera's picture is. */
  readonly liveServers: number;
  readonly jobs: number;
  readonly openJobs: number;
  readonly keptResults: number;
  readonly firstJobAtMs: number | null;
  readonly resultKeepDays: number;
  /** In how many servers something from before a deletion still counts against limits. */
  readonly countedServers: number;
  /** Links to messages with deleted results that the chat has not let the bot delete yet. */
  readonly undeleted: readonly string[];
}

export interface Privacy {
  see(userId: string): Promise<PrivacySummary>;
  /** All of it, as JSON text. */
  export(userId: string): Promise<string>;
  /**
   * Starts the removal. From now on nothing of the data is used or shown, and the removal continues after a crash. Use
   * that counts against limits still counts, under a pseudonym, for as long as the limits read it. `keepNeverSwap`
   * keeps that one wish.
   */
  remove(userId: string, options: { readonly keepNeverSwap: boolean }): Promise<void>;
}

/**
 * The window within which limits of single members can still read what was used in a guild. Implemented by the ledger.
 */
export type LimitSpanOf = (
  db: Queryable,
  guildId: string,
) => Promise<{ readonly startsAtMs: number; readonly endsAtMs: number }>;

/** Which guilds the bot is in. Implemented in `src/bot/discord/wire/guild-presence.ts`. */
export interface GuildPresence {
  /** Null when this process cannot tell: not connected, or the guild belongs to another one. */
  isIn(guildId: string): boolean | null;
  /** Calls back when the bot was removed from a guild (not when one is unavailable), or added to one. */
  watch(change: (guildId: string, isIn: boolean) => void): Disposable;
}
