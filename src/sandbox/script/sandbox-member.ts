import { setAvatar, setMemberAvatar } from '../chat/avatars.ts';
import type { WaitOptions } from '../chat/changes.ts';
import { COMMAND_TYPES } from '../chat/command-types.ts';
import { COMPONENT_TYPES, type ComponentBody } from '../chat/component-body.ts';
import type { Channel, Guild, Member } from '../chat/guild.ts';
import { removeMember, setMemberRoles } from '../chat/guilds.ts';
import { INTERACTION_TYPES } from '../chat/interaction.ts';
import { startInteraction } from '../chat/interactions.ts';
import { type Message, hasFlag } from '../chat/message.ts';
import { createMessage } from '../chat/messages.ts';
import type { Payload } from '../chat/payload.ts';
import { messagePayload } from '../chat/message-payload.ts';
import { userPayload } from '../chat/payloads.ts';
import { allows, permissionsOf } from '../chat/permissions.ts';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import { type OptionValues, commandData, findChatCommand, visibleCommands } from './command-data.ts';
import { applicationOf, findComponent } from './component-use.ts';
import { type FormValues, formData } from './form-data.ts';
import { assertMayRun } from './may-run.ts';
import { MemberVoice } from './member-voice.ts';
import { MessageView } from './message-view.ts';
import { type FileInput, type Resolution, resolvedMember, toUpload } from './resolved-data.ts';
import { choose, isSelect } from './selection.ts';
import { UseOfBot } from './use-of-bot.ts';

/** The channel in which a member acts. */
export interface Place {
  readonly id: string;
}

/** A member of a guild, controlled by the test. */
export class SandboxMember {
  readonly #world: World;
  readonly #guild: Guild;
  readonly entity: Member;

  constructor(world: World, guild: Guild, entity: Member) {
    this.#world = world;
    this.#guild = guild;
    this.entity = entity;
  }

  /** The user's id. */
  get id(): string {
    return this.entity.user.id;
  }

  get name(): string {
    return this.entity.user.globalName ?? this.entity.user.username;
  }

  /** Text that mentions the member. */
  get mention(): string {
    return `<@${this.id}>`;
  }

  /** The member's actions in voice channels, and the sound that the member receives. */
  get voice(): MemberVoice {
    return new MemberVoice(this.#world, this.#guild, this.entity);
  }

  /**
   * Runs a slash command such as `/budget set`. Like Discord's client, it rejects if the command is not registered, the
   * member may not use it, or an option is missing or invalid.
   */
  async runs(
    command: string,
    options: { readonly in: Place; readonly options?: OptionValues },
  ): Promise<UseOfBot> {
    const found = findChatCommand(this.#world, this.#guild.id, command);
    const channel = this.#enter(options.in);
    assertMayRun(this.#guild, this.entity, found.command, channel);
    const data = commandData(this.#world, this.#guild, found, options.options ?? {});
    return this.#start(channel, INTERACTION_TYPES.command, found.application.id, data, {
      commandName: found.fullName,
    });
  }

  /** Types into an option that has suggestions, and resolves with the bot's suggestions. */
  async completes(
    command: string,
    options: {
      readonly in: Place;
      readonly option: string;
      readonly typed: string | number;
      readonly options?: OptionValues;
    } & WaitOptions,
  ): Promise<readonly Payload[]> {
    const found = findChatCommand(this.#world, this.#guild.id, command);
    const channel = this.#enter(options.in);
    assertMayRun(this.#guild, this.entity, found.command, channel);
    const values = { ...options.options, [options.option]: options.typed };
    const data = commandData(this.#world, this.#guild, found, values, options.option);
    const use = this.#start(channel, INTERACTION_TYPES.autocomplete, found.application.id, data, {
      commandName: found.fullName,
    });
    return this.#world.changes.until(() => use.interaction.choices ?? undefined, {
      ...options,
      what: `suggestions of /${found.fullName}`,
    });
  }

  /** Chooses an entry in the context menu of a message or a member. */
  async runsOn(
    name: string,
    target: MessageView | SandboxMember,
    options: { readonly in: Place },
  ): Promise<UseOfBot> {
    const isMessage = target instanceof MessageView;
    if (isMessage) this.#demandSight(target.entity);
    const type = isMessage ? COMMAND_TYPES.message : COMMAND_TYPES.user;
    const found = visibleCommands(this.#world, this.#guild.id, type).find(
      (entry) => entry.command.definition.name === name,
    );
    if (!found) throw new Error(`Cannot run "${name}": there is no such entry in the context menu`);
    const channel = this.#enter(options.in);
    assertMayRun(this.#guild, this.entity, found.command, channel);
    const resolved = isMessage
      ? { messages: { [target.id]: messagePayload(this.#world, target.entity) } }
      : {
          users: { [target.id]: userPayload(target.entity.user) },
          members: { [target.id]: resolvedMember(this.#guild, target.entity) },
        };
    const data = { id: found.command.id, name, type, target_id: target.id, resolved };
    return this.#start(channel, INTERACTION_TYPES.command, found.application.id, data, {
      commandName: name,
    });
  }

  /** Presses a message's button, which is found by its label or custom id. */
  async presses(button: string, options: { readonly on: MessageView }): Promise<UseOfBot> {
    const component = findComponent(options.on, (entry) => {
      const fits = entry.custom_id === button || entry['label'] === button;
      return entry.type === COMPONENT_TYPES.button && fits && !entry['disabled'];
    });
    if (!component?.custom_id)
      throw new Error(`Cannot press "${button}": the message has no such button to press`);
    return this.#useComponent(options.on.entity, component, {});
  }

  /**
   * Chooses values in a message's select menu; members, roles and channels are chosen by id. `menu` is the custom id of
   * the menu. By default, the first menu is used.
   */
  async selects(
    values: readonly string[],
    options: { readonly on: MessageView; readonly menu?: string },
  ): Promise<UseOfBot> {
    const component = findComponent(
      options.on,
      (entry) =>
        isSelect(entry) &&
        !entry['disabled'] &&
        (options.menu === undefined || entry.custom_id === options.menu),
    );
    if (!component) throw new Error('Cannot select: the message has no such menu');
    const resolution = this.#resolution(applicationOf(this.#world, options.on.entity));
    const chosen = choose(resolution, component, values);
    const { resolved } = resolution;
    return this.#useComponent(options.on.entity, component, {
      values: chosen,
      ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
    });
  }

  /** Completes and sends the form that `use` opened. `values` are keyed by the inputs' custom ids. */
  async submits(use: UseOfBot, values: FormValues): Promise<UseOfBot> {
    const { modal, channel, source, application, user } = use.interaction;
    if (!modal || user !== this.entity.user) throw new Error('Cannot submit: no form is open');
    const data = formData(this.#resolution(application), modal, values);
    return this.#start(channel, INTERACTION_TYPES.modal, application.id, data, {
      opener: use.interaction,
      ...(source ? { source } : {}),
    });
  }

  /** Writes a message. */
  async says(
    content: string,
    options: { readonly in: Place; readonly files?: readonly FileInput[] },
  ): Promise<MessageView> {
    const channel = this.#enter(options.in);
    if (!allows(permissionsOf(this.#guild, this.entity, channel), 'SEND_MESSAGES')) {
      throw new Error(`Cannot write in #${channel.name}: ${this.name} may not`);
    }
    const files = (options.files ?? []).map(toUpload);
    const message = createMessage(this.#world, channel, {
      author: this.entity.user,
      input: { content },
      files,
    });
    return new MessageView(this.#world, message);
  }

  /** Forwards a message. */
  async forwards(message: MessageView, options: { readonly in: Place }): Promise<MessageView> {
    const channel = this.#enter(options.in);
    const forward = createMessage(this.#world, channel, {
      author: this.entity.user,
      input: {},
      files: [],
      forwards: message.entity,
    });
    return new MessageView(this.#world, forward);
  }

  /** Sets the user's avatar to a PNG file. */
  hasAvatar(bytes: Uint8Array): void {
    setAvatar(this.entity.user, bytes);
  }

  /** Sets the member's avatar to a PNG file, for this guild only. */
  hasAvatarHere(bytes: Uint8Array): void {
    setMemberAvatar(this.entity, bytes);
  }

  /** Sets the member's roles to exactly these. */
  hasRoles(...roles: readonly { readonly id: string }[]): void {
    setMemberRoles(
      this.#world,
      this.#guild,
      this.entity,
      roles.map((role) => role.id),
    );
  }

  /** The direct messages from bots, newest last. */
  get inbox(): readonly MessageView[] {
    return [...this.#world.channels.values()]
      .filter((channel) => channel.kind === 'dm' && channel.recipients.includes(this.entity.user))
      .flatMap((channel) => channel.messages.filter((message) => message.deletedAtMs === null))
      .map((message) => new MessageView(this.#world, message));
  }

  /** Closes the inbox: from now on, bots receive error 50007 when they send this user a direct message. */
  closesInbox(): void {
    this.entity.user.acceptsDirectMessages = false;
  }

  /** Leaves the guild. */
  leaves(): void {
    removeMember(this.#world, this.#guild, this.entity);
  }

  #useComponent(message: Message, component: ComponentBody, extra: Payload): UseOfBot {
    this.#demandSight(message);
    const { id: applicationId } = applicationOf(this.#world, message);
    const data = {
      id: component.id,
      custom_id: component.custom_id,
      component_type: component.type,
      ...extra,
    };
    const channel = this.#enter({ id: message.channelId });
    return this.#start(channel, INTERACTION_TYPES.component, applicationId, data, { source: message });
  }

  #demandSight(message: Message): void {
    const isOfOthers = hasFlag(message, 'EPHEMERAL') && message.origin?.user !== this.entity.user;
    if (message.deletedAtMs !== null || isOfOthers) {
      throw new Error(`Cannot use the message: ${this.name} does not see it`);
    }
  }

  #start(
    channel: Channel,
    type: number,
    applicationId: string,
    data: Payload,
    extra: Pick<Parameters<typeof startInteraction>[1], 'commandName' | 'source' | 'opener'>,
  ): UseOfBot {
    const application = this.#world.applications.get(applicationId);
    if (!application) throw new Error('Cannot reach the application: it does not exist');
    const interaction = startInteraction(this.#world, {
      type,
      application,
      guild: this.#guild,
      channel,
      user: this.entity.user,
      member: this.entity,
      data,
      ...extra,
    });
    return new UseOfBot(this.#world, interaction);
  }

  #resolution(application: Application): Resolution {
    return { world: this.#world, application, guild: this.#guild, resolved: {} };
  }

  #enter(place: Place): Channel {
    const channel = this.#guild.channels.get(place.id);
    if (!channel) throw new Error(`Cannot act there: ${this.#guild.name} has no such channel`);
    if (!allows(permissionsOf(this.#guild, this.entity, channel), 'VIEW_CHANNEL')) {
      throw new Error(`Cannot act in #${channel.name}: ${this.name} may not see it`);
    }
    return channel;
  }
}
