import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { Disposer } from '../../../src/base/disposer.ts';
import { createLogger } from '../../../src/base/log.ts';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import { createCpuEngines } from '../../../src/media-server/engine/cpu/cpu-engines.ts';
import { type MediaServer, createMediaServer } from '../../../src/media-server/server.ts';
import type { Masquerade } from '../../../src/compose/masquerade-options.ts';
import { CHAT_PAGE, connectChatPage } from '../../../src/program/roles/chat-page.ts';
import { COMMAND_LIMIT } from '../../../src/program/roles/sandbox.ts';
import { type Sandbox, createSandbox } from '../../../src/sandbox/sandbox.ts';
import type { SeededGuild } from '../../../src/sandbox/seed.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import { trustCertificate } from '../../../src/sandbox/voice/trust-certificate.ts';
import { SAMPLES } from '../browser/use-connected-chat.ts';
import { ShiftedClock } from '../../helpers/shifted-clock.ts';

/** The story always starts at this time: a Thursday evening on the first of a month. */
const BEGINS_MS = Date.UTC(2026, 9, 1, 19, 30);
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const AVATAR_PX = 128;

/** The sample portrait of each member. */
const FACES = {
  ada: 'portrait-woman-curly-hair.jpg',
  ben: 'portrait-man-dark-hair.jpg',
  chloe: 'portrait-woman-brown-hair.jpg',
  chidi: 'portrait-man-short-hair.png',
  mei: 'portrait-woman-three-quarter.jpg',
  walter: 'portrait-man-elderly.jpg',
} as const;

type Members = Readonly<Record<keyof typeof FACES, SandboxMember>>;

interface Parts {
  readonly clock: ShiftedClock;
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  readonly bot: Masquerade;
  readonly club: SeededGuild;
  readonly members: Members;
}

/**
 * Everything that `npm start` starts, on a shifted clock, with a community of six members who have sample portraits.
 */
export class FilmClub implements AsyncDisposable {
  readonly clock: ShiftedClock;
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  readonly bot: Masquerade;
  readonly channels: SeededGuild['channels'];
  readonly guildId: string;
  readonly members: Members;
  readonly #owned: Disposer;

  private constructor({ club, members, ...parts }: Parts, owned: Disposer) {
    this.clock = parts.clock;
    this.sandbox = parts.sandbox;
    this.media = parts.media;
    this.bot = parts.bot;
    this.channels = club.channels;
    this.guildId = club.guild.id;
    this.members = members;
    this.#owned = owned;
  }

  static async open(): Promise<FilmClub> {
    const owned = new Disposer();
    try {
      return new FilmClub(await openParts(owned), owned);
    } catch (error) {
      await owned[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Moves the clock forward, within the same evening or to a later day. */
  laterBy({ days = 0, minutes = 0 }: { readonly days?: number; readonly minutes?: number }): void {
    this.clock.shift((days * DAY_MINUTES + minutes) * MINUTE_MS);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#owned[Symbol.asyncDispose]();
  }
}

async function openParts(owned: Disposer): Promise<Parts> {
  const clock = new ShiftedClock();
  clock.shift(BEGINS_MS - clock.now());
  const logger = createLogger('error');
  const dataDir = await mkdtemp(join(tmpdir(), 'masquerade-'));
  owned.defer(() => rm(dataDir, { recursive: true, force: true }));
  const sandbox = owned.use(
    await createSandbox({ clock, wireClock: clock, logger, commandLimit: COMMAND_LIMIT, page: CHAT_PAGE }),
  );
  const { filmClub: club } = sandbox.seed();
  const members = await seat(club);
  owned.use(trustCertificate(sandbox.caPem));
  const engines = owned.use(await createCpuEngines({ logger }));
  const media = owned.use(
    await createMediaServer({ dataDir: join(dataDir, 'media-server'), engines, clock, logger }),
  );
  owned.use(connectChatPage(sandbox, media.faults));
  const { baseUrl, apiKey, signingSecret } = media;
  const bot = owned.use(
    await createMasquerade({
      discord: { token: sandbox.token, apiUrl: sandbox.apiUrl },
      attachmentHosts: [sandbox.cdnHost],
      http: { port: 0 },
      mediaApi: { baseUrl, apiKey, signingSecrets: [signingSecret] },
      publicUrl: 'loopback',
      liveCodec: 'jpeg',
      dataDir,
      clock,
      logger,
    }),
  );
  return { clock, sandbox, media, bot, club, members };
}

/** Adds two members, and gives all six an avatar. */
async function seat({ guild, members }: SeededGuild): Promise<Members> {
  const all = { ...members, mei: guild.addMember('Mei'), walter: guild.addMember('Walter') };
  for (const [name, file] of Object.entries(FACES)) {
    const picture = sharp(await readFile(join(SAMPLES, file))).resize(AVATAR_PX, AVATAR_PX, {
      position: 'top',
    });
    all[name as keyof Members].hasAvatar(await picture.png().toBuffer());
  }
  return all;
}
