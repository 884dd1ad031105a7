import { type REST, Routes } from 'discord.js';
import { z } from 'zod';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import { isRecord } from '../../../base/is-record.ts';
import type { AnyCommandData } from '../command.ts';
import { checkCounts, checkDefinitions, typeOf } from './definition-limits.ts';
import { DiscordError } from './discord-error.ts';
import { withoutRequest } from './rest-verdict.ts';

export interface RegistrationOptions {
  readonly rest: REST;
  readonly applicationId: string;
  /** Registers in this server only, where changes are visible immediately. Default: globally. */
  readonly guildId?: string;
  readonly commands: readonly AnyCommandData[];
  readonly clock: Clock;
}

export interface Registered {
  readonly name: string;
  readonly id: string;
  readonly change: 'created' | 'updated' | 'unchanged';
}

/**
 * The deadline is long, because Discord limits how many commands a bot may create in a row, and the REST client waits
 * at that limit.
 */
const DEADLINE_MS = 180_000;

const existingCommand = z.looseObject({ id: z.string(), name: z.string(), type: z.number().default(1) });
type ExistingCommand = z.infer<typeof existingCommand>;

/**
 * Updates this bot's command definitions: creates missing ones, changes those that differ, and never deletes any.
 * Throws `DiscordError`, or a `TypeError` if a definition exceeds a Discord limit; in the latter case nothing was
 * changed.
 */
export async function registerCommands(
  options: RegistrationOptions,
  signal?: AbortSignal,
): Promise<readonly Registered[]> {
  checkDefinitions(options.commands);
  try {
    return await withDeadline(options.clock, DEADLINE_MS, (combined) => register(options, combined), signal);
  } catch (error) {
    throw withoutRequest(error, 'register commands');
  }
}

/**
 * Returns the ids of those definitions that are already registered, matched by name and kind. Throws `DiscordError`.
 */
export async function findRegistered(
  options: RegistrationOptions,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  try {
    const existing = await withDeadline(
      options.clock,
      DEADLINE_MS,
      (inTime) => list(options, inTime),
      signal,
    );
    return existing
      .filter((other) => options.commands.some((command) => isSameCommand(command, other)))
      .map(({ id }) => id);
  } catch (error) {
    throw withoutRequest(error, 'look up commands');
  }
}

function routeOf({ applicationId, guildId }: RegistrationOptions): `/${string}` {
  return guildId === undefined
    ? Routes.applicationCommands(applicationId)
    : Routes.applicationGuildCommands(applicationId, guildId);
}

async function list(options: RegistrationOptions, signal: AbortSignal): Promise<ExistingCommand[]> {
  const query = new URLSearchParams({ with_localizations: 'true' });
  return parse(z.array(existingCommand), await options.rest.get(routeOf(options), { query, signal }));
}

async function register(options: RegistrationOptions, signal: AbortSignal): Promise<Registered[]> {
  const { rest, guildId } = options;
  const route = routeOf(options);
  const existing = await list(options, signal);
  const isOurs = (other: ExistingCommand): boolean =>
    options.commands.some((command) => isSameCommand(command, other));
  const others = existing.filter((other) => !isOurs(other));
  checkCounts(options.commands, others);
  const report: Registered[] = [];
  for (const command of options.commands) {
    const body = guildId === undefined ? command : withoutScope(command);
    const { name } = command;
    const found = existing.find((other) => isSameCommand(command, other));
    if (!found) {
      const created = parse(existingCommand, await rest.post(route, { body, signal }));
      report.push({ name, id: created.id, change: 'created' });
    } else if (showsAll(body, found)) {
      report.push({ name, id: found.id, change: 'unchanged' });
    } else {
      await rest.patch(`${route}/${found.id}`, { body, signal });
      report.push({ name, id: found.id, change: 'updated' });
    }
  }
  return report;
}

function isSameCommand(ours: AnyCommandData, other: ExistingCommand): boolean {
  return ours.name === other.name && typeOf(ours) === other.type;
}

/** Removes the scope fields, which Discord accepts only for global commands. */
function withoutScope(command: AnyCommandData): object {
  const { contexts: _contexts, integration_types: _types, ...rest } = command;
  return rest;
}

/** Returns whether `existing` matches everything that `ours` sets. Discord may add other fields. */
function showsAll(ours: object, existing: ExistingCommand): boolean {
  return Object.entries(ours).every(([field, value]) => same(field, value, existing[field]));
}

const UNORDERED: ReadonlySet<string> = new Set([
  'contexts',
  'integration_types',
  'channel_types',
  'file_types',
]);

function same(field: string, ours: unknown, theirs: unknown): boolean {
  if (isEmpty(ours) || isEmpty(theirs)) return isEmpty(ours) && isEmpty(theirs);
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    const sameAt = UNORDERED.has(field)
      ? (value: unknown): boolean => theirs.includes(value)
      : (value: unknown, index: number): boolean => same('', value, theirs[index]);
    return ours.length === theirs.length && ours.every(sameAt);
  }
  if (isRecord(ours) && isRecord(theirs)) {
    const fields = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    // Discord adds fields such as `name_localized`, in the language of the request.
    return [...fields].every((key) => key.endsWith('_localized') || same(key, ours[key], theirs[key]));
  }
  return ours === theirs;
}

/** Returns whether a value means "not set"; Discord omits such values or replaces them with others. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isRecord(value) && Object.keys(value).length === 0;
}

function parse<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new DiscordError('malformed', 'Cannot read commands: Discord sent data of an unknown form');
}
