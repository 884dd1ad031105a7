import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../chat/api-error.ts';
import type { World } from '../chat/world.ts';
import { SandboxChannel, SandboxGuild, SandboxRole } from '../script/sandbox-guild.ts';
import { SandboxMember } from '../script/sandbox-member.ts';
import { MessageView } from '../script/message-view.ts';
import { UseOfBot } from '../script/use-of-bot.ts';
import {
  channelBody,
  completeBody,
  faultBody,
  guildBody,
  memberBody,
  pressBody,
  readWait,
  roleBody,
  runBody,
  runOnBody,
  sayBody,
  selectBody,
  submitBody,
} from './control-bodies.ts';
import { injectFault } from './inject-fault.ts';
import { pageRoutesOf } from './control-page.ts';
import { type ControlOptions, type ControlRoute, part } from './control-route.ts';
import { guildView, messageView, useView } from './control-views.ts';
import { voiceRoutesOf } from './control-voice.ts';
import { prepareControl } from './prepare-control.ts';

/**
 * The control API of the sandbox: HTTP and JSON for people and programs outside this process. Bots never use it. Below
 * `/control`:
 *
 * - `GET /` returns the application's id, whether its bot is online, and the command names;
 *   `?timeout_ms=` waits until the bot is online
 * - `GET /guilds`, `POST /guilds {name, attachment_size_limit?}`
 * - `POST /guilds/:guild/channels {name, kind: text|voice|stage}`
 * - `POST /guilds/:guild/roles {name, permissions: ["MANAGE_GUILD", ...]}`
 * - `POST /guilds/:guild/members {name, role_ids?}`
 * - `POST /guilds/:guild/members/:member/runs {command: "/photo-swap", in: channel id, options?}`; an option is text, a
 *   number, a boolean, `{id}` or `{file: {name, base64, content_type?}}`. Returns a use
 * - `POST /guilds/:guild/members/:member/presses {button, channel_id, message_id}` returns a use
 * - `POST .../selects {values, menu?, channel_id, message_id}`, `POST .../submits {use_id, values}` and `POST
 *   .../runs-on {name, in, message_id | member_id}` return a use
 * - `POST .../completes {command, in, option, typed, options?}` returns suggestions
 * - `POST /guilds/:guild/members/:member/says {content, in, files?}`
 * - `GET /uses/:use?until=acknowledged|replied|failed&contains=&timeout_ms=` waits at most 120,000 ms, then returns the
 *   use in its current state
 * - `GET /channels/:channel/messages?contains=&timeout_ms=` waits for a message that contains the
 *   text, then returns the messages, newest last
 * - `GET /violations`, `DELETE /violations` (returns and deletes them)
 * - `POST /faults {rest: {...}} | {download: {...}} | {gateway: {...}} | {voice: {...}} | {named: {name, on}}`
 * - voice: see `control-voice.ts`
 * - routes for the chat page: see `page/page-wire.ts`
 *
 * Browsers may use the API only from the chat page, and other programs only on this machine (`page/page-guard.ts`).
 * Errors are `{error}` with 400 (malformed, or not allowed by the chat) or 404.
 */
export function registerControl(app: FastifyInstance, options: ControlOptions): void {
  const control = new Control(options);
  const { page } = options;
  prepareControl(app, options);
  const member = '/guilds/:guild/members/:member';
  const routes: readonly ControlRoute[] = [
    ['GET', '/', (request) => control.status(request)],
    ['GET', '/guilds', () => control.guilds()],
    ['POST', '/guilds', (request) => control.addGuild(request)],
    ['POST', '/guilds/:guild/channels', (request) => control.addChannel(request)],
    ['POST', '/guilds/:guild/roles', (request) => control.addRole(request)],
    ['POST', '/guilds/:guild/members', (request) => control.addMember(request)],
    ['POST', `${member}/runs`, (request) => control.runs(request)],
    ['POST', `${member}/presses`, (request) => control.presses(request)],
    ['POST', `${member}/selects`, (request) => control.selects(request)],
    ['POST', `${member}/submits`, (request) => control.submits(request)],
    ['POST', `${member}/runs-on`, (request) => control.runsOn(request)],
    ['POST', `${member}/completes`, (request) => control.completes(request)],
    ['POST', `${member}/says`, (request) => control.says(request)],
    ['GET', '/uses/:use', (request) => control.use(request)],
    ['GET', '/channels/:channel/messages', (request) => control.messages(request)],
    ['GET', '/violations', () => options.world.violations.entries],
    ['DELETE', '/violations', () => options.world.violations.take()],
    [
      'POST',
      '/faults',
      (request) => injectFault(options.faults, page.faultButtons, faultBody.parse(request.body)),
    ],
    ...pageRoutesOf(options),
    ...voiceRoutesOf(options),
  ];
  for (const [method, path, handler] of routes) {
    app.route({ method, url: `/control${path}`, handler: async (request, reply) => handler(request, reply) });
  }
}

class Control {
  readonly #options: ControlOptions;
  readonly #world: World;

  constructor(options: ControlOptions) {
    this.#options = options;
    this.#world = options.world;
  }

  async status(request: FastifyRequest): Promise<unknown> {
    await this.#wait(readWait(request.query).timeoutMs, () => this.#options.isOnline());
    const { application } = this.#options;
    return {
      application_id: application.id,
      online: this.#options.isOnline(),
      commands: [...application.commands.values()].map((command) => command.definition.name),
    };
  }

  guilds(): unknown {
    return [...this.#world.guilds.keys()].map((id) => guildView(this.#guild(id)));
  }

  addGuild(request: FastifyRequest): unknown {
    const { name, attachment_size_limit: attachmentSizeLimitBytes } = guildBody.parse(request.body);
    const size = attachmentSizeLimitBytes === undefined ? {} : { attachmentSizeLimitBytes };
    return guildView(SandboxGuild.create(this.#world, this.#options.application, name, size));
  }

  addChannel(request: FastifyRequest): unknown {
    const { name, kind, age_restricted: isAgeRestricted } = channelBody.parse(request.body);
    const guild = this.#guild(part(request, 'guild'));
    const added =
      kind === 'text'
        ? guild.addTextChannel(name)
        : kind === 'voice'
          ? guild.addVoiceChannel(name)
          : guild.addStageChannel(name);
    if (isAgeRestricted === true) added.becomesAgeRestricted();
    return { id: added.id, name: added.name, kind };
  }

  addRole(request: FastifyRequest): unknown {
    const { name, permissions } = roleBody.parse(request.body);
    const { id } = this.#guild(part(request, 'guild')).addRole(name, ...permissions);
    return { id, name };
  }

  addMember(request: FastifyRequest): unknown {
    const { name, role_ids: roleIds = [] } = memberBody.parse(request.body);
    const guild = this.#guild(part(request, 'guild'));
    const roles = roleIds.map((id) => {
      const role = guild.entity.roles.get(id);
      if (!role) throw new ApiError('unknownRole');
      return new SandboxRole(this.#world, guild.entity, role);
    });
    const { id } = guild.addMember(name, { roles });
    return { id, name };
  }

  async runs(request: FastifyRequest): Promise<unknown> {
    const { command, in: channelId, options } = runBody.parse(request.body);
    const place = { in: { id: channelId } };
    return useView(await this.#member(request).runs(command, options ? { ...place, options } : place));
  }

  async presses(request: FastifyRequest): Promise<unknown> {
    const { button, channel_id: channelId, message_id: messageId } = pressBody.parse(request.body);
    const on = this.#message(channelId, messageId);
    return useView(await this.#member(request).presses(button, { on }));
  }

  async selects(request: FastifyRequest): Promise<unknown> {
    const { values, menu, channel_id: channelId, message_id: messageId } = selectBody.parse(request.body);
    const on = this.#message(channelId, messageId);
    const where = menu === undefined ? { on } : { on, menu };
    return useView(await this.#member(request).selects(values, where));
  }

  async submits(request: FastifyRequest): Promise<unknown> {
    const { use_id: useId, values } = submitBody.parse(request.body);
    return useView(await this.#member(request).submits(this.#use(useId), values));
  }

  async runsOn(request: FastifyRequest): Promise<unknown> {
    const { name, in: channelId, message_id: messageId, member_id: memberId } = runOnBody.parse(request.body);
    const target =
      messageId === undefined
        ? this.#memberOf(part(request, 'guild'), memberId ?? '')
        : this.#message(channelId, messageId);
    return useView(await this.#member(request).runsOn(name, target, { in: { id: channelId } }));
  }

  completes(request: FastifyRequest): Promise<unknown> {
    const { command, in: channelId, option, typed, options } = completeBody.parse(request.body);
    const place = { in: { id: channelId }, ...(options ? { options } : {}) };
    return this.#member(request).completes(command, { ...place, option, typed, timeoutMs: 4_000 });
  }

  async says(request: FastifyRequest): Promise<unknown> {
    const { content, in: channelId, files } = sayBody.parse(request.body);
    const place = { in: { id: channelId } };
    return messageView(await this.#member(request).says(content, files ? { ...place, files } : place));
  }

  async use(request: FastifyRequest): Promise<unknown> {
    const { timeoutMs, until, contains } = readWait(request.query);
    const use = this.#use(part(request, 'use'));
    await this.#wait(timeoutMs, () => {
      if (use.state === 'failed') return true;
      if (contains !== undefined) return use.reply?.text.includes(contains) ?? false;
      return until === 'acknowledged' ? use.state !== 'waiting' : use.state === (until ?? use.state);
    });
    return useView(use);
  }

  async messages(request: FastifyRequest): Promise<unknown> {
    const { timeoutMs, contains } = readWait(request.query);
    const channel = this.#world.channel(part(request, 'channel'));
    const guild = this.#world.guildOf(channel);
    if (!guild) throw new ApiError('unknownChannel');
    const view = new SandboxChannel(this.#world, guild, this.#options.application, channel);
    await this.#wait(timeoutMs, () =>
      contains === undefined
        ? view.messages.length > 0
        : view.messages.some((message) => message.text.includes(contains)),
    );
    return view.messages.map(messageView);
  }

  /**
   * Waits until `check` returns true or the timeout has passed. In both cases, the caller then returns the current
   * state.
   */
  async #wait(timeoutMs: number, check: () => boolean): Promise<void> {
    if (timeoutMs === 0) return;
    await this.#world.changes.holds(check, timeoutMs);
  }

  #guild(id: string): SandboxGuild {
    return new SandboxGuild(this.#world, this.#options.application, this.#world.guild(id));
  }

  #use(id: string): UseOfBot {
    const interaction = this.#world.interactions.get(id);
    if (!interaction) throw new ApiError('unknownInteraction');
    return new UseOfBot(this.#world, interaction);
  }

  #message(channelId: string, messageId: string): MessageView {
    return new MessageView(this.#world, this.#world.message(this.#world.channel(channelId), messageId));
  }

  #member(request: FastifyRequest): SandboxMember {
    return this.#memberOf(part(request, 'guild'), part(request, 'member'));
  }

  #memberOf(guildId: string, memberId: string): SandboxMember {
    const guild = this.#world.guild(guildId);
    return new SandboxMember(this.#world, guild, this.#world.member(guild, memberId));
  }
}
