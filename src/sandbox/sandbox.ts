import { Disposer } from '../base/disposer.ts';
import type { WireNote } from '../base/wire-note.ts';
import { createApplication } from './chat/applications.ts';
import type { WaitOptions } from './chat/changes.ts';
import { commandBody } from './chat/command-body.ts';
import { commandPayload, commandsOf, upsertCommand } from './chat/commands.ts';
import { inviteBot } from './chat/guilds.ts';
import type { Payload } from './chat/payload.ts';
import type { TeamMember } from './chat/user.ts';
import type { Faults } from './faults.ts';
import type { ConnectedFaultName, FaultPort } from './page/fault-buttons.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { type SandboxParts, startParts } from './sandbox-parts.ts';
import { SandboxGuild } from './script/sandbox-guild.ts';
import { SandboxMember } from './script/sandbox-member.ts';
import { seedCommunities } from './seed.ts';
import type { Violation } from './violations.ts';

/** A member of a team that owns an application. By default, the member is an admin who has accepted the invitation. */
export interface SandboxTeamMember {
  readonly member: SandboxMember;
  readonly role?: TeamMember['role'];
  readonly state?: TeamMember['state'];
}

/** A local Discord to which bots log in. Its creator must dispose it. */
export interface Sandbox extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/api`, the value for `rest.api` of discord.js. */
  readonly apiUrl: string;
  /** `127.0.0.1:PORT`, the host of links to files. */
  readonly cdnHost: string;
  readonly token: string;
  readonly applicationId: string;
  /**
   * The certificate of the voice server, which clients can reach only over TLS. A process trusts it after
   * a call to `trustCertificate(caPem)` (`voice/trust-certificate.ts`), or if `NODE_EXTRA_CA_CERTS` was set to `caFile`
   * when the process was started.
   */
  readonly caPem: string;
  /** The path of a file with the certificate. The file exists until the sandbox is disposed. */
  readonly caFile: string;
  /** `127.0.0.1:PORT` of the voice gateway, as bots receive it. */
  readonly voiceEndpoint: string;
  /** `http://127.0.0.1:PORT/control`, the control API of the sandbox. See `control/control-server.ts`. */
  readonly controlUrl: string;
  /**
   * The URL of the chat page, on which people try the bot: `http://127.0.0.1:PORT/chat/`, or its URL in a trusted
   * network. See `page/page-wire.ts`.
   */
  readonly chatUrl: string;
  /**
   * Adds a note about other programs' traffic to the wire panel. Details that are not allowed, such as secrets, are
   * removed.
   */
  noteWire(note: WireNote): void;
  /** Connects a button of the chat page to a fault outside the sandbox. */
  connectFault(name: ConnectedFaultName, port: FaultPort): void;
  /**
   * The mistakes of clients that `takeViolations` has not returned yet. Every rejected request is a mistake, except for
   * requests for something that no longer exists (404 such as 10003 or 10008) and messages to a closed inbox (50007).
   */
  readonly violations: readonly Violation[];
  readonly faults: Faults;
  /** Returns and deletes the violations that `matches` accepts. Default: all. */
  takeViolations(matches?: (violation: Violation) => boolean): Violation[];
  /** Creates a community. Every bot is a member. */
  addGuild(name: string, options?: { readonly attachmentSizeLimitBytes?: number }): SandboxGuild;
  /** All communities, in order of creation. */
  readonly guilds: readonly SandboxGuild[];
  /** Returns the registered commands, global or of one guild, as the API sends them with all localisations. */
  commands(guild?: { readonly id: string }): readonly Payload[];
  /** Registers a command, as another program of the same application would. Throws if Discord would reject it. */
  addCommand(definition: unknown, guild?: { readonly id: string }): void;
  /** Adds another bot with its own token to all guilds. */
  addApplication(name: string): { readonly applicationId: string; readonly token: string };
  /**
   * Sets the owner of the first application: a member, or a team whose first member is the owner. By default, the owner
   * of the first community owns the application.
   */
  giveApplicationTo(owner: SandboxMember | readonly SandboxTeamMember[]): void;
  /** Adds two communities with channels and members, for the demo and the program's `sandbox` command. */
  seed(): ReturnType<typeof seedCommunities>;
  /** Resolves when the first application's bot has identified and is connected. */
  botOnline(options?: WaitOptions): Promise<void>;
  /** Resolves when the first application's bot is not connected. */
  botOffline(options?: WaitOptions): Promise<void>;
}

const LOOPBACK = /^(127\.\d{1,3}\.\d{1,3}\.\d{1,3}|localhost)$/;

/** Starts a local Discord on loopback. Throws `TypeError` for any other address. */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const host = options.host ?? '127.0.0.1';
  if (!LOOPBACK.test(host)) {
    throw new TypeError(`Cannot open the sandbox on "${host}": it is for loopback only`);
  }
  const disposer = new Disposer();
  try {
    return new LocalSandbox(await startParts(host, options, disposer), disposer);
  } catch (error) {
    await disposer[Symbol.asyncDispose]();
    throw error;
  }
}

class LocalSandbox implements Sandbox {
  readonly #parts: SandboxParts;
  readonly #disposer: Disposer;
  readonly faults: Faults;

  constructor(parts: SandboxParts, disposer: Disposer) {
    this.#parts = parts;
    this.#disposer = disposer;
    this.faults = parts.faults;
  }

  get apiUrl(): string {
    return `http://${this.#parts.authority}/api`;
  }

  get cdnHost(): string {
    return this.#parts.authority;
  }

  get caPem(): string {
    return this.#parts.caFile.pem;
  }

  get caFile(): string {
    return this.#parts.caFile.path;
  }

  get voiceEndpoint(): string {
    return this.#parts.voice.endpoint;
  }

  get controlUrl(): string {
    return `http://${this.#parts.authority}/control`;
  }

  get chatUrl(): string {
    return `${this.#parts.pageOrigin}/chat/`;
  }

  noteWire(note: WireNote): void {
    this.#parts.page.wireLog.note(note);
  }

  connectFault(name: ConnectedFaultName, port: FaultPort): void {
    this.#parts.page.faultButtons.connect(name, port);
  }

  get token(): string {
    return this.#parts.application.token;
  }

  get applicationId(): string {
    return this.#parts.application.id;
  }

  get violations(): readonly Violation[] {
    return this.#parts.world.violations.entries;
  }

  takeViolations(matches?: (violation: Violation) => boolean): Violation[] {
    return this.#parts.world.violations.take(matches);
  }

  addGuild(name: string, options: { readonly attachmentSizeLimitBytes?: number } = {}): SandboxGuild {
    const { world, application } = this.#parts;
    return SandboxGuild.create(world, application, name, options);
  }

  get guilds(): readonly SandboxGuild[] {
    const { world, application } = this.#parts;
    return [...world.guilds.values()].map((guild) => new SandboxGuild(world, application, guild));
  }

  commands(guild?: { readonly id: string }): readonly Payload[] {
    return commandsOf(this.#parts.application, guild?.id ?? null).map((entry) => commandPayload(entry, true));
  }

  addCommand(definition: unknown, guild?: { readonly id: string }): void {
    const { world, application } = this.#parts;
    upsertCommand(world, application, guild?.id ?? null, commandBody.parse(definition));
  }

  addApplication(name: string): { applicationId: string; token: string } {
    const { world } = this.#parts;
    const application = createApplication(world, name);
    for (const guild of world.guilds.values()) inviteBot(world, guild, application);
    return { applicationId: application.id, token: application.token };
  }

  giveApplicationTo(owner: SandboxMember | readonly SandboxTeamMember[]): void {
    const { world, application } = this.#parts;
    if (owner instanceof SandboxMember) {
      application.owner = owner.entity.user;
      return;
    }
    application.owner = {
      id: world.ids.next(),
      name: 'Film makers',
      ownerId: owner[0]?.member.id ?? '',
      members: owner.map(({ member, role = 'admin', state = 'accepted' }) => {
        return { user: member.entity.user, role, state };
      }),
    };
  }

  seed(): ReturnType<typeof seedCommunities> {
    return seedCommunities((name) => this.addGuild(name));
  }

  async botOnline(options: WaitOptions = {}): Promise<void> {
    const { world, gateway, application } = this.#parts;
    const isOnline = (): true | undefined => gateway.isOnline(application) || undefined;
    await world.changes.until(isOnline, { timeoutMs: 15_000, ...options, what: 'the bot online' });
  }

  async botOffline(options: WaitOptions = {}): Promise<void> {
    const { world, gateway, application } = this.#parts;
    const isOffline = (): true | undefined => !gateway.isOnline(application) || undefined;
    await world.changes.until(isOffline, { timeoutMs: 15_000, ...options, what: 'the bot offline' });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#disposer[Symbol.asyncDispose]();
  }
}
