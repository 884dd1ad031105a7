import type { Client } from 'discord.js';
import type { Database } from '../../db/database.ts';
import { parseUsd } from '../base/money.ts';
import { DiscordAlertChannels } from '../bot/discord/cards/alert-channels.ts';
import { ApplicationTeam } from '../bot/discord/wire/application-team.ts';
import type { CommandServices } from '../bot/discord/command.ts';
import { DiscordGuilds } from '../bot/discord/wire/guild-presence.ts';
import type { RequestGuard } from '../bot/discord/wire/request-guard.ts';
import { BudgetAlerts } from '../bot/money/alerts/budget-alerts.ts';
import { OverrunAlerts } from '../bot/money/alerts/overrun-alerts.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import { Operator } from '../bot/people/operator/operator.ts';
import type { Allowances } from '../bot/people/operator/ports.ts';
import type { Basics } from './basics.ts';

const LOW_BALANCE = parseUsd(5);

export interface OperatorPart {
  readonly operator: Operator;
  readonly services: Pick<CommandServices, 'operator'>;
  /** The chat is connected: tells and watches from now on. */
  start(): void;
}

interface OperatorParts {
  readonly db: Database;
  readonly client: Client;
  readonly guard: RequestGuard;
  readonly api: MediaApi;
  readonly ledger: Ledger;
  readonly allowances: Allowances;
}

/** Opens what is told of money, to communities and to whoever runs the bot, and what those decide. */
export function openOperator({ options, owned, clock, log }: Basics, parts: OperatorParts): OperatorPart {
  const { db, client, guard, api, ledger, allowances } = parts;
  const { channelId = null, lowBalance = LOW_BALANCE } = options.operator ?? {};
  const channel = new DiscordAlertChannels({ client, guard });
  const operator = owned.use(
    new Operator({
      db,
      clock,
      log,
      ledger,
      account: api.account,
      operators: new ApplicationTeam(client, clock),
      names: new DiscordGuilds(client),
      allowances,
      channel,
      channelId,
      lowBalance,
    }),
  );
  const alerts = owned.use(new BudgetAlerts({ db, clock, log, channel, ledger }));
  const overrunAlerts = owned.use(new OverrunAlerts({ db, clock, log, channel }));
  return {
    operator,
    services: { operator: operator.desk },
    start() {
      alerts.start();
      overrunAlerts.start();
      operator.start();
    },
  };
}
