import type { WaitOptions } from '../chat/changes.ts';
import type { Channel, ChannelKind, Guild, Overwrite, Role } from '../chat/guild.ts';
import {
  addChannel,
  addMember,
  addRole,
  createGuild,
  createUser,
  inviteBot,
  loseGuild,
  removeBot,
  removeChannel,
  setAgeRestriction,
  setOverwrites,
  setRolePermissions,
  setUserLimit,
} from '../chat/guilds.ts';
import { hasFlag } from '../chat/message.ts';
import { type PermissionName, permissionBits } from '../chat/permissions.ts';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import { ChannelVoice } from './channel-voice.ts';
import { GuildVoice } from './guild-voice.ts';
import { SandboxMember } from './sandbox-member.ts';
import { MessageView } from './message-view.ts';

/** The holder of a permission: a role, a member, everyone, or the bot. */
type Grantee = { readonly id: string } | 'everyone' | 'bot';

/** A text, voice or stage channel of a guild. */
export class SandboxChannel {
  readonly #world: World;
  readonly #guild: Guild;
  readonly #application: Application;
  readonly entity: Channel;

  constructor(world: World, guild: Guild, application: Application, entity: Channel) {
    this.#world = world;
    this.#guild = guild;
    this.#application = application;
    this.entity = entity;
  }

  get id(): string {
    return this.entity.id;
  }

  get name(): string {
    return this.entity.name;
  }

  /** The status text below a voice channel's name, or null. */
  get status(): string | null {
    return this.entity.voiceStatus;
  }

  /** The members in the voice channel, and their speech. */
  get voice(): ChannelVoice {
    return new ChannelVoice(this.#world, this.#guild, this.entity);
  }

  /**
   * The messages that everybody in the channel can read, newest last. Deleted, ephemeral and loading messages are left
   * out.
   */
  get messages(): readonly MessageView[] {
    return this.entity.messages
      .filter((message) => message.deletedAtMs === null)
      .filter((message) => !hasFlag(message, 'EPHEMERAL') && !hasFlag(message, 'LOADING'))
      .map((message) => new MessageView(this.#world, message));
  }

  /** Resolves with the newest message that `matches` accepts, now or as soon as there is one. */
  messageWhere(matches: (message: MessageView) => boolean, options: WaitOptions = {}): Promise<MessageView> {
    return this.#world.changes.until(() => this.messages.findLast(matches), {
      ...options,
      what: `the awaited message in #${this.name}`,
      describe: () => JSON.stringify(this.messages.slice(-5).map((message) => message.text)),
    });
  }

  /** Denies permissions in this channel. */
  forbids(grantee: Grantee, ...names: readonly PermissionName[]): void {
    this.#overwrite(grantee, permissionBits(...names), 'deny');
  }

  /** Allows permissions in this channel. */
  permits(grantee: Grantee, ...names: readonly PermissionName[]): void {
    this.#overwrite(grantee, permissionBits(...names), 'allow');
  }

  /** Marks the channel as age-restricted ("NSFW"), or removes the mark. */
  becomesAgeRestricted(restricted = true): void {
    setAgeRestriction(this.#world, this.entity, restricted);
  }

  /** Deletes the channel with everything in it. */
  disappears(): void {
    removeChannel(this.#world, this.#guild, this.entity);
  }

  #overwrite(grantee: Grantee, bits: bigint, effect: 'allow' | 'deny'): void {
    const id = this.#idOf(grantee);
    const type = this.#guild.roles.has(id) ? 'role' : 'member';
    const before: Overwrite = this.entity.overwrites.find((entry) => entry.id === id) ?? {
      id,
      type,
      allow: 0n,
      deny: 0n,
    };
    const after: Overwrite =
      effect === 'allow'
        ? { ...before, allow: before.allow | bits, deny: before.deny & ~bits }
        : { ...before, allow: before.allow & ~bits, deny: before.deny | bits };
    setOverwrites(this.#world, this.entity, [
      ...this.entity.overwrites.filter((entry) => entry.id !== id),
      after,
    ]);
  }

  #idOf(grantee: Grantee): string {
    if (grantee === 'everyone') return this.#guild.id;
    return grantee === 'bot' ? this.#application.bot.id : grantee.id;
  }
}

/** A role of a guild. */
export class SandboxRole {
  readonly #world: World;
  readonly #guild: Guild;
  readonly entity: Role;

  constructor(world: World, guild: Guild, entity: Role) {
    this.#world = world;
    this.#guild = guild;
    this.entity = entity;
  }

  get id(): string {
    return this.entity.id;
  }

  get name(): string {
    return this.entity.name;
  }

  /** Sets the permissions of the role to exactly these. */
  may(...names: readonly PermissionName[]): void {
    setRolePermissions(this.#world, this.#guild, this.entity, permissionBits(...names));
  }
}

/** A guild (community), as a test sets it up. */
export class SandboxGuild {
  readonly #world: World;
  readonly #application: Application;
  readonly entity: Guild;

  constructor(world: World, application: Application, entity: Guild) {
    this.#world = world;
    this.#application = application;
    this.entity = entity;
  }

  /** Creates a guild that every bot joins. */
  static create(
    world: World,
    application: Application,
    name: string,
    options: { readonly attachmentSizeLimitBytes?: number } = {},
  ): SandboxGuild {
    return new SandboxGuild(world, application, createGuild(world, name, options));
  }

  get id(): string {
    return this.entity.id;
  }

  get name(): string {
    return this.entity.name;
  }

  /** Moderators' actions in voice channels. */
  get voice(): GuildVoice {
    return new GuildVoice(this.#world, this.entity);
  }

  /** The bot's own role. */
  get botRole(): SandboxRole {
    const role = [...this.entity.roles.values()].find(
      (entry) => entry.botUserId === this.#application.bot.id,
    );
    if (!role) throw new Error(`Cannot find the bot's role in ${this.name}: it was not invited`);
    return new SandboxRole(this.#world, this.entity, role);
  }

  addTextChannel(name: string): SandboxChannel {
    return this.#addChannel('text', name);
  }

  /** Adds a voice channel. A `userLimit` of 0 means no limit. */
  addVoiceChannel(name: string, options: { readonly userLimit?: number } = {}): SandboxChannel {
    const channel = this.#addChannel('voice', name);
    if (options.userLimit) setUserLimit(this.#world, channel.entity, options.userLimit);
    return channel;
  }

  addStageChannel(name: string): SandboxChannel {
    return this.#addChannel('stage', name);
  }

  addRole(name: string, ...permissions: readonly PermissionName[]): SandboxRole {
    const role = addRole(this.#world, this.entity, name, permissionBits(...permissions));
    return new SandboxRole(this.#world, this.entity, role);
  }

  /** Adds a new user, or a member of another guild, to this guild. */
  addMember(
    who: string | SandboxMember,
    options: { readonly roles?: readonly { readonly id: string }[]; readonly nick?: string } = {},
  ): SandboxMember {
    const user = typeof who === 'string' ? createUser(this.#world, who, false) : who.entity.user;
    const roleIds = (options.roles ?? []).map((role) => role.id);
    const member = addMember(this.#world, this.entity, user, roleIds);
    member.nick = options.nick ?? null;
    return new SandboxMember(this.#world, this.entity, member);
  }

  /** The owner, who has all permissions. */
  get owner(): SandboxMember {
    return new SandboxMember(this.#world, this.entity, this.#world.member(this.entity, this.entity.ownerId));
  }

  /** Removes the bot from the guild. */
  removesBot(): void {
    removeBot(this.#world, this.entity, this.#application);
  }

  /** Makes the guild unavailable to the bot, as in an outage of Discord. */
  goesDown(): void {
    loseGuild(this.#world, this.entity, this.#application);
  }

  /** Invites the bot, for the first time or again. */
  invitesBot(): void {
    inviteBot(this.#world, this.entity, this.#application);
  }

  #addChannel(kind: ChannelKind, name: string): SandboxChannel {
    const channel = addChannel(this.#world, this.entity, kind, name);
    return new SandboxChannel(this.#world, this.entity, this.#application, channel);
  }
}
