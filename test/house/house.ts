/** A room of the house: what lives there, and what it may import. A file's path stands for that file alone. */
export interface Room {
  readonly name: string;
  readonly paths: readonly string[];
  readonly imports: readonly string[];
  readonly asTypes?: readonly string[];
  readonly dynamically?: readonly string[];
}

/** What the pipeline offers, and what it needs of others. */
const PORTS = 'src/bot/jobs/ports.ts';
const CARDS = 'src/bot/jobs/cards.ts';
const INPUTS = 'src/bot/jobs/inputs/inputs.ts';
const REFUSALS = 'src/bot/jobs/intake/refusals.ts';

/** The table of the design. A better room means a change here and there, with the reason in the commit. */
export const HOUSE: readonly Room[] = [
  { name: 'base', paths: ['src/base/'], imports: [] },
  {
    name: 'config',
    paths: ['src/program/config.ts', 'src/program/env.ts', 'src/program/settings/'],
    // Prices are configured by the names of the capabilities.
    imports: ['base', 'src/media-api/wire.ts'],
  },
  { name: 'media-api', paths: ['src/media-api/'], imports: ['base'] },
  { name: 'audio', paths: ['src/audio/'], imports: [] },
  { name: 'media', paths: ['src/bot/media/'], imports: ['base'] },
  { name: 'db', paths: ['db/'], imports: ['base'] },
  { name: 'ledger', paths: ['src/bot/money/ledger/'], imports: ['base', 'db'] },
  {
    // Pictures of what the ledger reports, drawn in processes of their own.
    name: 'charts',
    paths: ['src/bot/money/charts/'],
    imports: ['base', 'src/bot/money/spend/spend-forecast.ts', 'src/bot/money/spend/spend-report.ts'],
    asTypes: ['ledger'],
  },
  {
    name: 'jobs',
    paths: ['src/bot/jobs/'],
    imports: ['base', 'db', 'media', 'media-api'],
    asTypes: ['ledger'],
  },
  {
    name: 'access',
    paths: ['src/bot/people/access/'],
    imports: ['base', 'config', 'db'],
    asTypes: [PORTS, REFUSALS],
  },
  {
    name: 'members',
    paths: ['src/bot/people/members/'],
    imports: ['base', 'db'],
    asTypes: [PORTS, INPUTS, REFUSALS],
  },
  {
    // What whoever runs the bot sees, is told, and decides for all guilds.
    name: 'operator',
    paths: ['src/bot/people/operator/'],
    imports: ['base', 'db', 'ledger'],
    asTypes: ['media-api', PORTS],
  },
  {
    name: 'reconciliation',
    paths: ['src/bot/money/reconciliation/'],
    // The quote of a job bounds the amount that it can have cost.
    imports: ['base', 'db', 'media-api', 'ledger', 'src/bot/money/reconciliation/quote-bounds.ts'],
  },
  { name: 'live', paths: ['src/bot/sessions/'], imports: ['base', 'db', 'media-api'], asTypes: ['ledger'] },
  {
    name: 'voice',
    paths: ['src/bot/sessions/voice-swap/'],
    // Consents, and which sessions go on, are in the database.
    imports: ['base', 'db', 'audio', 'live'],
    asTypes: ['ledger', PORTS, REFUSALS],
  },
  {
    // Members' cameras, from a link to what it cost: as voice is to speech, with pages in place of channels.
    name: 'live-swap',
    paths: ['src/bot/sessions/live-swap/'],
    imports: ['base', 'media', 'media-api', 'live'],
    asTypes: ['db', 'ledger', 'src/bot/people/members/ports.ts', PORTS, REFUSALS],
  },
  {
    name: 'web',
    paths: ['src/bot/web/'],
    imports: ['base', 'media-api'],
    asTypes: ['jobs', 'live-swap'],
  },
  {
    // What is said to members, and how what they give is read: all that commands need of the chat.
    name: 'replies',
    paths: [
      'src/bot/discord/command.ts',
      'src/bot/discord/words/forms/',
      'src/bot/discord/words/notices/',
      'src/bot/discord/words/picks/',
      'src/bot/discord/words/replies/',
    ],
    imports: ['base', 'src/media-api/field-limits.ts'],
    asTypes: [
      'src/bot/discord/wire/message-calls.ts',
      'src/bot/discord/interactions/raw-file.ts',
      PORTS,
      CARDS,
      INPUTS,
      REFUSALS,
      'src/bot/jobs/desk/desk-ports.ts',
      'src/bot/people/access/ports.ts',
      'src/bot/sessions/live-swap/live-swap-end.ts',
      'src/bot/sessions/live-swap/ports.ts',
      'src/bot/people/members/ports.ts',
      'src/bot/money/alerts/alert-ports.ts',
      'src/bot/money/caps/budget.ts',
      'src/bot/money/budgets/budget-ports.ts',
      'src/bot/money/overruns/overrun-ports.ts',
      'src/bot/money/caps/cap.ts',
      'src/bot/money/spend/spend-buckets.ts',
      'src/bot/money/spend/spend-ports.ts',
      'src/bot/money/spend/spend-report.ts',
      'src/bot/money/charts/chart-request.ts',
      'src/bot/people/operator/ports.ts',
      'src/bot/sessions/voice-swap/desk/desk-ports.ts',
    ],
  },
  {
    name: 'discord',
    paths: ['src/bot/discord/'],
    imports: ['base', 'config', 'replies', 'src/bot/sessions/voice-swap/voice-error.ts'],
    asTypes: [
      PORTS,
      CARDS,
      INPUTS,
      'src/bot/jobs/desk/desk-ports.ts',
      'src/bot/sessions/live-swap/ports.ts',
      'src/bot/people/members/ports.ts',
      'src/bot/money/alerts/alert-ports.ts',
      'src/bot/people/operator/ports.ts',
      'src/bot/sessions/voice-swap/ports.ts',
      'src/bot/sessions/voice-swap/desk/desk-ports.ts',
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
    paths: ['src/compose/bot.ts', 'src/compose/', 'commands/all.ts', 'src/compose/options.ts'],
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
    paths: ['src/program/roles/'],
    imports: [
      'base',
      'audio',
      'config',
      'bot',
      'db/database.ts',
      'src/bot/money/ledger/verify.ts',
      'src/media-api/media-api.ts',
      'src/bot/discord/wire/register-by-token.ts',
    ],
    asTypes: ['jobs', 'media-api'],
    dynamically: ['media-server', 'sandbox'],
  },
  { name: 'main', paths: ['src/main.ts'], imports: ['base', 'config'], dynamically: ['roles'] },
  { name: 'launch', paths: ['src/program/launch.mjs'], imports: [] },
  {
    // What runs in browsers: of the servers it knows what goes over the wire.
    name: 'pages',
    paths: ['src/pages/'],
    imports: [],
    asTypes: [
      'src/bot/web/live/live-wire.ts',
      'src/sandbox/page/page-wire.ts',
      'src/sandbox/page/page-views.ts',
      'src/sandbox/page/message-views.ts',
      'src/sandbox/page/use-views.ts',
      'src/sandbox/page/wire-views.ts',
      'src/media-server/console/console-wire.ts',
    ],
  },
];
