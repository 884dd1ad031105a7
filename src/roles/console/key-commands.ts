import { type Command, ConsoleError } from './command.ts';
import { formatTime, table } from './layout.ts';
import { readAccount, readName, readWhole, valueAt } from './values.ts';

/** The name that the server gives to the key it makes for the bot beside it. */
const EMBEDDED = 'Embedded';

/** API keys: shown once, stored as hashes, bounded by their own rate. */
export const KEY_COMMANDS: readonly Command[] = [
  {
    words: 'keys list',
    values: [],
    options: ['--account <id or name>'],
    what: 'all keys, or those of one account, without their texts',
    run(call) {
      const keys = call.admin.listKeys(readAccount(call));
      const rows = keys.map((key) => [
        key.id,
        key.name,
        key.accountId,
        `${key.requestsPerMinute}/min`,
        formatTime(key.createdAt),
        key.revokedAt === null ? 'live' : `revoked ${formatTime(key.revokedAt)}`,
      ]);
      return { text: table(['KEY', 'NAME', 'ACCOUNT', 'LIMIT', 'CREATED', 'STATE'], rows), json: keys };
    },
  },
  {
    words: 'keys create',
    values: ['<name>'],
    options: ['--account <id or name>', '--requests-per-minute <number>'],
    what: 'makes a key and shows it, this one time',
    run(call) {
      const limit = call.options['requests-per-minute'];
      const key = call.admin.createKey({
        name: readName(valueAt(call, 0)),
        accountId: readAccount(call),
        requestsPerMinute: limit === undefined ? undefined : readWhole(limit, '--requests-per-minute'),
      });
      const text = `${key.text}\n\nThis is key ${key.id}. It is shown only now: keep it where only its user reads it.`;
      return { text, json: { id: key.id, key: key.text } };
    },
  },
  {
    words: 'keys limit',
    values: ['<key id>', '<requests per minute>'],
    options: [],
    what: 'changes how many requests a minute a key may make',
    run(call) {
      const id = valueAt(call, 0);
      const limit = readWhole(valueAt(call, 1), 'the requests per minute');
      if (!call.admin.setRequestsPerMinute(id, limit)) throw noSuchKey(id);
      const isEmbedded = call.admin.listKeys().some((key) => key.id === id && key.name === EMBEDDED);
      const note = isEmbedded
        ? '\nThe server gives this key the limit in MEDIA_SERVER_REQUESTS_PER_MINUTE again when it starts.'
        : '';
      return {
        text: `Key ${id} may make ${limit} requests a minute.${note}`,
        json: { id, requestsPerMinute: limit },
      };
    },
  },
  {
    words: 'keys revoke',
    values: ['<key id>'],
    options: [],
    what: 'ends a key for good; its next request is refused',
    run(call) {
      const id = valueAt(call, 0);
      const key = call.admin.listKeys().find((known) => known.id === id);
      if (!key) throw noSuchKey(id);
      if (!call.admin.revokeKey(id))
        throw new ConsoleError(`Cannot revoke the key "${id}": it is revoked already`);
      return { text: `Key ${id} (${key.name}) is revoked.`, json: { id, revoked: true } };
    },
  },
];

function noSuchKey(id: string): ConsoleError {
  return new ConsoleError(
    `Cannot find the key "${id}": there is no such key; "keys list" shows their ids, which are not the keys themselves`,
  );
}
