import { isRecord } from '../../base/is-record.ts';
import type { ViolationKind } from '../violations.ts';
import type { Payload } from './payload.ts';

interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  /** The violation to record, or null if a correct client may cause this error. */
  readonly violation: ViolationKind | null;
}

/** The errors that the sandbox can return. */
type RefusalName =
  | 'unauthorized'
  | 'unknownRoute'
  | 'unknownApplication'
  | 'unknownChannel'
  | 'unknownGuild'
  | 'unknownMember'
  | 'unknownMessage'
  | 'unknownRole'
  | 'unknownUser'
  | 'unknownWebhook'
  | 'unknownInteraction'
  | 'unknownVoiceState'
  | 'unknownCommand'
  | 'tooManyCommands'
  | 'tooManyCommandCreates'
  | 'tooManyOldEdits'
  | 'entityTooLarge'
  | 'alreadyAcknowledged'
  | 'notInVoice'
  | 'missingAccess'
  | 'notTheAuthor'
  | 'emptyMessage'
  | 'cannotSendToUser'
  | 'wrongChannelType'
  | 'missingPermissions'
  | 'invalidWebhookToken'
  | 'invalidForm'
  | 'invalidJson';

/** Discord's errors, by name. */
const REFUSALS: Readonly<Record<RefusalName, Refusal>> = {
  unauthorized: { status: 401, code: 0, message: '401: Unauthorized', violation: 'unauthorized' },
  unknownRoute: { status: 404, code: 0, message: '404: Not Found', violation: 'unknown_route' },
  unknownApplication: { status: 404, code: 10002, message: 'Unknown Application', violation: null },
  unknownChannel: { status: 404, code: 10003, message: 'Unknown Channel', violation: null },
  unknownGuild: { status: 404, code: 10004, message: 'Unknown Guild', violation: null },
  unknownMember: { status: 404, code: 10007, message: 'Unknown Member', violation: null },
  unknownMessage: { status: 404, code: 10008, message: 'Unknown Message', violation: null },
  unknownRole: { status: 404, code: 10011, message: 'Unknown Role', violation: null },
  unknownUser: { status: 404, code: 10013, message: 'Unknown User', violation: null },
  unknownWebhook: { status: 404, code: 10015, message: 'Unknown Webhook', violation: 'broken_rule' },
  unknownInteraction: { status: 404, code: 10062, message: 'Unknown interaction', violation: 'broken_rule' },
  unknownVoiceState: { status: 404, code: 10065, message: 'Unknown Voice State', violation: null },
  unknownCommand: { status: 404, code: 10063, message: 'Unknown application command', violation: null },
  tooManyCommands: {
    status: 400,
    code: 30032,
    message: 'Maximum number of application commands reached (100).',
    violation: 'broken_rule',
  },
  tooManyCommandCreates: {
    status: 400,
    code: 30034,
    message: 'Max number of daily application command creates has been reached (200)',
    violation: 'broken_rule',
  },
  tooManyOldEdits: {
    status: 429,
    code: 30046,
    message: 'Maximum number of edits to messages older than 1 hour reached. Try again later',
    violation: 'broken_rule',
  },
  entityTooLarge: { status: 413, code: 40005, message: 'Request entity too large', violation: 'broken_rule' },
  notInVoice: {
    status: 400,
    code: 40032,
    message: 'Target user is not connected to voice.',
    violation: null,
  },
  alreadyAcknowledged: {
    status: 400,
    code: 40060,
    message: 'Interaction has already been acknowledged.',
    violation: 'broken_rule',
  },
  missingAccess: { status: 403, code: 50001, message: 'Missing Access', violation: 'forbidden' },
  notTheAuthor: {
    status: 403,
    code: 50005,
    message: 'Cannot edit a message authored by another user',
    violation: 'forbidden',
  },
  emptyMessage: {
    status: 400,
    code: 50006,
    message: 'Cannot send an empty message',
    violation: 'malformed_body',
  },
  cannotSendToUser: {
    status: 403,
    code: 50007,
    message: 'Cannot send messages to this user',
    violation: null,
  },
  wrongChannelType: {
    status: 400,
    code: 50024,
    message: 'Cannot execute action on this channel type',
    violation: 'broken_rule',
  },
  missingPermissions: { status: 403, code: 50013, message: 'Missing Permissions', violation: 'forbidden' },
  invalidWebhookToken: {
    status: 401,
    code: 50027,
    message: 'Invalid Webhook Token',
    violation: 'broken_rule',
  },
  invalidForm: { status: 400, code: 50035, message: 'Invalid Form Body', violation: 'malformed_body' },
  invalidJson: {
    status: 400,
    code: 50109,
    message: 'The request body contains invalid JSON.',
    violation: 'malformed_body',
  },
};

/** How many seconds a bot must wait after too many edits of old messages. Discord does not publish the real number. */
const OLD_EDIT_RETRY_SECONDS = 60;

/** Rejects a request with the status, code and message that Discord uses for this error. */
export class ApiError extends Error {
  readonly refusal: Refusal;
  readonly errors: Payload | undefined;

  constructor(name: RefusalName, errors?: Payload) {
    super(REFUSALS[name].message);
    this.name = 'ApiError';
    this.refusal = REFUSALS[name];
    this.errors = errors;
  }

  /** The body of the response. */
  get body(): Payload {
    const { message, code, status } = this.refusal;
    if (status === 429) return { message, code, retry_after: OLD_EDIT_RETRY_SECONDS, global: false };
    return this.errors ? { message, code, errors: this.errors } : { message, code };
  }
}

/** Throws `Invalid Form Body` for one field. `path` is, for example, `embeds.0.title`. */
export function refuseField(path: string, code: string, message: string): never {
  throw new ApiError('invalidForm', fieldErrors([{ path: path.split('.'), code, message }]));
}

/** Returns Discord's nested error object for several fields. */
export function fieldErrors(
  entries: readonly {
    readonly path: readonly PropertyKey[];
    readonly code: string;
    readonly message: string;
  }[],
): Payload {
  const root: Record<string, unknown> = {};
  for (const { path, code, message } of entries) {
    let node = root;
    for (const key of path.map(String)) {
      const child = node[key];
      const next: Record<string, unknown> = isRecord(child) ? child : {};
      node[key] = next;
      node = next;
    }
    const list = Array.isArray(node['_errors']) ? node['_errors'] : [];
    node['_errors'] = [...list, { code, message }];
  }
  return root;
}
