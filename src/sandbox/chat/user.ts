import type { Command } from './command.ts';

/** A picture of a user; the CDN has it under its hash. */
export interface Avatar {
  readonly hash: string;
  /** A PNG file. */
  readonly bytes: Uint8Array;
}

/** A person or a bot. */
export interface User {
  readonly id: string;
  username: string;
  globalName: string | null;
  avatar: Avatar | null;
  readonly bot: boolean;
  /** Whether direct messages of bots reach the user. */
  acceptsDirectMessages: boolean;
}

/** Somebody of a team that owns an application. */
export interface TeamMember {
  readonly user: User;
  readonly role: 'admin' | 'developer' | 'read_only';
  readonly state: 'invited' | 'accepted';
}

/** Several who own an application together. */
export interface Team {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly members: readonly TeamMember[];
}

/** A bot application: what a token stands for. */
export interface Application {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly bot: User;
  /** Whether GUILD_MEMBERS, GUILD_PRESENCES and MESSAGE_CONTENT are switched on for it. */
  readonly privilegedIntents: boolean;
  /** Null: the owner of the first guild. */
  owner: User | Team | null;
  /** By id, in the order of their creation. */
  readonly commands: Map<string, Command>;
}
