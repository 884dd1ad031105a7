/** A room of the house: what lives there, and what it may import. A file's path stands for that file alone. */
export interface Room {
  readonly name: string;
  readonly paths: readonly string[];
  readonly imports: readonly string[];
  readonly asTypes?: readonly string[];
  readonly dynamically?: readonly string[];
}

/** What the pipeline offers, and what it needs of others. */
const PORTS = 'src/jobs/ports.ts';
const CARDS = 'src/jobs/cards.ts';
const INPUTS = 'src/jobs/inputs.ts';
const REFUSALS = 'src/jobs/refusals.ts';

/** The table of the design. A better room means a change here and there, with the reason in the commit. */
export const HOUSE: readonly Room[] = [
  { name: 'base', paths: ['src/base/'], imports: [] },
  {
    name: 'config',
    paths: ['src/config.ts', 'src/env.ts', 'src/settings/'],
    // Prices are configured by the names of the capabilities.
    imports: ['base', 'src/media-api/wire.ts'],
  },
  { name: 'media-api', paths: ['src/media-api/'], imports: ['base'] },
  { name: 'audio', paths: ['src/audio/'], imports: [] },
  { name: 'media', paths: ['src/media/'], imports: ['base'] },
  { name: 'db', paths: ['db/'], imports: ['base'] },
  { name: 'ledger', paths: ['src/ledger/'], imports: ['base', 'db'] },
  {
    // Pictures of what the ledger reports, drawn in processes of their own.
    name: 'charts',
    paths: ['src/charts/'],
    imports: ['base', 'src/ledger/spend-forecast.ts', 'src/ledger/spend-report.ts'],
    asTypes: ['ledger'],
  },
  {
    name: 'jobs',
    paths: ['src/jobs/'],
    imports: ['base', 'db', 'media', 'media-api'],
    asTypes: ['ledger'],
  },
  {
    name: 'access',
    paths: ['src/access/'],
    imports: ['base', 'config', 'db'],
    asTypes: [PORTS, REFUSALS],
  },
  {
    name: 'members',
    paths: ['src/members/'],
    imports: ['base', 'db'],
    asTypes: [PORTS, INPUTS, REFUSALS],
  },
  {
    // What whoever runs the bot sees, is told, and decides for all guilds.
    name: 'operator',
    paths: ['src/operator/'],
    imports: ['base', 'db', 'ledger'],
    asTypes: ['media-api', PORTS],
  },
  {
    name: 'reconciliation',
    paths: ['src/reconciliation/'],
    // The quote of a job bounds the amount that it can have cost.
    imports: ['base', 'db', 'media-api', 'ledger', 'src/jobs/quote-bounds.ts'],
  },
  { name: 'live', paths: ['src/live/'], imports: ['base', 'db', 'media-api'], asTypes: ['ledger'] },
  {
    name: 'voice',
    paths: ['src/voice/'],
    // Consents, and which sessions go on, are in the database.
    imports: ['base', 'db', 'audio', 'live'],
    asTypes: ['ledger', PORTS, REFUSALS],
  },
  {
    // Members' cameras, from a link to what it cost: as voice is to speech, with pages in place of channels.
    name: 'live-swap',
    paths: ['src/live-swap/'],
    imports: ['base', 'media', 'media-api', 'live'],
    asTypes: ['db', 'ledger', 'src/members/ports.ts', PORTS, REFUSALS],
  },
  {
    name: 'web',
    paths: ['src/web/'],
    imports: ['base', 'media-api'],
    asTypes: ['jobs', 'live-swap'],
  },
  {
    // What is said to members, and how what they give is read: all that commands need of the chat.
    name: 'replies',
    paths: [
      'src/discord/command.ts',
      'src/discord/forms/',
      'src/discord/notices/',
      'src/discord/picks/',
      'src/discord/replies/',
    ],
    imports: ['base', 'src/media-api/field-limits.ts'],
    asTypes: [
      'src/discord/message-calls.ts',
      'src/discord/raw-file.ts',
      PORTS,
      CARDS,
      INPUTS,
      REFUSALS,
      'src/jobs/desk/desk-ports.ts',
      'src/access/ports.ts',
      'src/live-swap/live-swap-end.ts',
      'src/live-swap/ports.ts',
      'src/members/ports.ts',
      'src/ledger/alert-ports.ts',
      'src/ledger/budget.ts',
      'src/ledger/budget-ports.ts',
      'src/ledger/overrun-ports.ts',
      'src/ledger/cap.ts',
      'src/ledger/spend-buckets.ts',
      'src/ledger/spend-ports.ts',
      'src/ledger/spend-report.ts',
      'src/charts/chart-request.ts',
      'src/operator/ports.ts',
      'src/voice/desk/desk-ports.ts',
    ],
  },
  {
    name: 'discord',
    paths: ['src/discord/'],
    imports: ['base', 'config', 'replies', 'src/voice/voice-error.ts'],
    asTypes: [
      PORTS,
      CARDS,
      INPUTS,
      'src/jobs/desk/desk-ports.ts',
      'src/live-swap/ports.ts',
      'src/members/ports.ts',
      'src/ledger/alert-ports.ts',
      'src/operator/ports.ts',
      'src/voice/ports.ts',
      'src/voice/desk/desk-ports.ts',
    ],
  },
  {
    name: 'commands',
    paths: ['commands/'],
    imports: ['base', 'replies'],
    asTypes: ['jobs', 'access', 'operator', 'live-swap', 'ledger'],
  },
  {
    name: 'bot',
    paths: ['src/bot.ts', 'src/bot/', 'src/surfaces.ts', 'src/options.ts'],
    imports: [
      'base',
      'media-api',
      'db',
      'ledger',
      'charts',
      'media',
      'jobs',
      'reconciliation',
      'access',
      'members',
      'operator',
      'live',
      'live-swap',
      'voice',
      'web',
      'discord',
      'commands',
    ],
    asTypes: ['replies'],
  },
  {
    name: 'index',
    paths: ['src/index.ts'],
    imports: ['base', 'media-api', 'ledger', 'jobs', 'reconciliation', 'live', 'live-swap', 'web', 'bot'],
  },
  { name: 'media-server', paths: ['src/media-server/'], imports: ['base', 'audio', 'src/media-api/wire.ts'] },
  { name: 'sandbox', paths: ['src/sandbox/'], imports: ['base'] },
  {
    name: 'roles',
    paths: ['src/roles/'],
    imports: [
      'base',
      'audio',
      'config',
      'bot',
      'db/database.ts',
      'src/ledger/verify.ts',
      'src/media-api/media-api.ts',
      'src/discord/register-by-token.ts',
    ],
    asTypes: ['jobs', 'media-api'],
    dynamically: ['media-server', 'sandbox'],
  },
  { name: 'main', paths: ['src/main.ts'], imports: ['base', 'config'], dynamically: ['roles'] },
  { name: 'launch', paths: ['src/launch.mjs'], imports: [] },
  {
    // What runs in browsers: of the servers it knows what goes over the wire.
    name: 'pages',
    paths: ['src/pages/'],
    imports: [],
    asTypes: [
      'src/web/live/live-wire.ts',
      'src/sandbox/page/page-wire.ts',
      'src/sandbox/page/page-views.ts',
      'src/sandbox/page/message-views.ts',
      'src/sandbox/page/use-views.ts',
      'src/sandbox/page/wire-views.ts',
      'src/media-server/console/console-wire.ts',
    ],
  },
];
