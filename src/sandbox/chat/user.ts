import type { Command } from './command.ts';

/** A user's avatar. The CDN serves it under its hash. */
export interface Avatar {
  readonly hash: string;
  /** The content of a PNG file. */
  readonly bytes: Uint8Array;
}

/** A person or a bot. */
export interface User {
  readonly id: string;
  username: string;
  globalName: string | null;
  avatar: Avatar | null;
  readonly bot: boolean;
  /** Whether the user accepts direct messages from bots. */
  acceptsDirectMessages: boolean;
}

/** A member of a team that owns an application. */
export interface TeamMember {
  readonly user: User;
  readonly role: 'admin' | 'developer' | 'read_only';
  readonly state: 'invited' | 'accepted';
}

/** Several users who own an application together. */
export interface Team {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly members: readonly TeamMember[];
}

/** A Discord application with its bot. Each application has its own token. */
export interface Application {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly bot: User;
  /** Whether the application may use the privileged intents: GUILD_MEMBERS, GUILD_PRESENCES and MESSAGE_CONTENT. */
  readonly privilegedIntents: boolean;
  /** Null means the owner of the first guild. */
  owner: User | Team | null;
  /** The commands by id, in order of creation. */
  readonly commands: Map<string, Command>;
}
