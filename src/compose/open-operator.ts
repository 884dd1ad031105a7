import type { Client } from 'discord.js';
import type { Database } from '../../db/database.ts';
import { ApplicationTeam } from '../bot/discord/wire/application-team.ts';
import { DiscordGuilds } from '../bot/discord/wire/discord-guilds.ts';
import type { GuildBudgets } from '../bot/money/budgets/guild-budgets.ts';
import type { Ledger } from '../bot/money/ledger/ledger.ts';
import type { OperatorChannel } from '../bot/people/operator/operator-channel.ts';
import { Operator } from '../bot/people/operator/operator.ts';
import type { MediaApi } from '../media-api/media-api.ts';
import type { Basics } from './basics.ts';
import { SETTING_DEFAULTS } from '../bot/settings/setting-defaults.ts';

interface OperatorParts {
  readonly db: Database;
  readonly client: Client;
  readonly api: MediaApi;
  readonly ledger: Ledger;
  readonly budgets: GuildBudgets;
  readonly channel: OperatorChannel;
}

/** Opens the operator's part of the bot: alerts, balance, allowances and pauses. */
export function openOperator({ options, owned, clock, log }: Basics, parts: OperatorParts): Operator {
  const { db, client, api, ledger, budgets, channel } = parts;
  const { channelId = null, lowBalance = SETTING_DEFAULTS.operator.lowBalance } = options.operator ?? {};
  return owned.use(
    new Operator({
      db,
      clock,
      log,
      ledger,
      account: api.account,
      operators: new ApplicationTeam(client, clock),
      names: new DiscordGuilds(client),
      allowances: budgets,
      channel,
      channelId,
      lowBalance,
    }),
  );
}
