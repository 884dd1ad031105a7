import { z } from 'zod';
import { ApiError } from '../chat/api-error.ts';
import { type CommandBody, commandBody } from '../chat/command-body.ts';
import {
  commandPayload,
  commandsOf,
  findCommand,
  replaceCommands,
  typeOf,
  upsertCommand,
} from '../chat/commands.ts';
import type { Application } from '../chat/user.ts';
import { type Answer, type Call, type Route, type RouteLimit, bodyOf, caller, param } from './route.ts';

const DAY_MS = 86_400_000;
const CREATES_PER_DAY_MAX = 200;
const COMMANDS_PER_REQUEST_MAX = 130;

/**
 * Returns the routes that register application commands, global and per guild. `limit` applies to each route
 * separately.
 */
export function commandRoutes(limit: RouteLimit = { requests: 5, windowMs: 5000 }): Route[] {
  return ['', '/guilds/:guildId'].flatMap((scope): Route[] => {
    const base = `/applications/:applicationId${scope}/commands`;
    const one = `${base}/:commandId`;
    const shared = { auth: 'bot', limit } as const;
    const creates = new CreateBudget();
    return [
      { ...shared, method: 'GET', path: base, query: ['with_localizations'], handle: list },
      { ...shared, method: 'POST', path: base, handle: (call) => create(call, creates) },
      { ...shared, method: 'PUT', path: base, handle: (call) => replaceAll(call, creates) },
      { ...shared, method: 'GET', path: one, handle: get },
      { ...shared, method: 'PATCH', path: one, handle: change },
      { ...shared, method: 'DELETE', path: one, handle: remove },
    ];
  });
}

interface Scope {
  readonly application: Application;
  readonly guildId: string | null;
}

function scopeOf(call: Call): Scope {
  const application = caller(call);
  if (param(call, 'applicationId') !== application.id) throw new ApiError('missingAccess');
  const guildId = call.params['guildId'] ?? null;
  if (guildId !== null && !call.world.guilds.get(guildId)?.members.has(application.bot.id)) {
    throw new ApiError('missingAccess');
  }
  return { application, guildId };
}

function list(call: Call): Answer {
  const { application, guildId } = scopeOf(call);
  const localized = call.query['with_localizations'] === 'true';
  return {
    status: 200,
    body: commandsOf(application, guildId).map((entry) => commandPayload(entry, localized)),
  };
}

function get(call: Call): Answer {
  const { application, guildId } = scopeOf(call);
  return {
    status: 200,
    body: commandPayload(findCommand(application, guildId, param(call, 'commandId')), true),
  };
}

function create(call: Call, creates: CreateBudget): Answer {
  const { application, guildId } = scopeOf(call);
  const definition = bodyOf(call, commandBody);
  const { command, created } = upsertCommand(call.world, application, guildId, definition);
  if (created) creates.spend(call, guildId, 1);
  return { status: created ? 201 : 200, body: commandPayload(command, true) };
}

function replaceAll(call: Call, creates: CreateBudget): Answer {
  const { application, guildId } = scopeOf(call);
  const definitions = bodyOf(call, z.array(commandBody).max(COMMANDS_PER_REQUEST_MAX));
  const known = new Set(
    commandsOf(application, guildId).map((entry) => `${typeOf(entry)} ${entry.definition.name}`),
  );
  const fresh = definitions.filter((entry) => !known.has(`${entry.type ?? 1} ${entry.name}`));
  creates.spend(call, guildId, fresh.length);
  const commands = replaceCommands(call.world, application, guildId, definitions);
  return { status: 200, body: commands.map((entry) => commandPayload(entry, true)) };
}

function change(call: Call): Answer {
  const { application, guildId } = scopeOf(call);
  const command = findCommand(application, guildId, param(call, 'commandId'));
  const patch = bodyOf(call, z.record(z.string(), z.unknown()));
  const merged: CommandBody = bodyOf(
    { ...call, body: { ...command.definition, ...patch, type: typeOf(command) } },
    commandBody,
  );
  const taken = commandsOf(application, guildId).find(
    (entry) => entry.definition.name === merged.name && typeOf(entry) === typeOf(command),
  );
  if (taken && taken !== command) throw new ApiError('invalidForm');
  application.commands.set(command.id, {
    ...command,
    version: call.world.ids.next(),
    definition: merged,
  });
  return { status: 200, body: commandPayload(findCommand(application, guildId, command.id), true) };
}

function remove(call: Call): Answer {
  const { application, guildId } = scopeOf(call);
  const command = findCommand(application, guildId, param(call, 'commandId'));
  application.commands.delete(command.id);
  return { status: 204 };
}

/** Limits new commands to 200 a day per guild, and new global commands to 200 a day, as Discord does. */
class CreateBudget {
  readonly #spent = new Map<string, number>();

  spend(call: Call, guildId: string | null, count: number): void {
    const day = Math.floor(call.world.clock.now() / DAY_MS);
    const key = `${day} ${call.application?.id} ${guildId}`;
    const spent = (this.#spent.get(key) ?? 0) + count;
    if (spent > CREATES_PER_DAY_MAX) throw new ApiError('tooManyCommandCreates');
    this.#spent.set(key, spent);
  }
}
