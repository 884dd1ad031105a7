import type { Command } from './command.ts';
import { table } from './table.ts';
import { accountOf, namedAccount, valueAt } from './account-of.ts';

/** Commands for API keys. A key is shown once, stored as a hash, and has its own rate limit. */
export const KEY_COMMANDS: readonly Command[] = [
  {
    words: 'keys list',
    values: [],
    options: ['--account <id or name>'],
    what: 'lists all keys, or those of one account, without their texts',
    run(call) {
      const keys = call.admin.listKeys(namedAccount(call));
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
    what: 'creates a key and shows it once',
    run(call) {
      const { 'requests-per-minute': requestsPerMinute = null } = call.options;
      const name = valueAt(call, 0);
      const accountId = accountOf(call);
      const made = call.runVerb({ verb: 'create_key', name, accountId, requestsPerMinute });
      const { id = '', secret = '', done } = made;
      const text = `${secret}\n\n${done} Its id is ${id}. It is shown only now: keep it where only its user reads it.`;
      return { text, json: { id, key: secret } };
    },
  },
  {
    words: 'keys limit',
    values: ['<key id>', '<requests per minute>'],
    options: [],
    what: 'changes how many requests per minute a key allows',
    run(call) {
      const id = valueAt(call, 0);
      const limit = valueAt(call, 1);
      const { done } = call.runVerb({ verb: 'limit_key', keyId: id, requestsPerMinute: limit });
      return { text: done, json: { id, requestsPerMinute: Number(limit) } };
    },
  },
  {
    words: 'keys revoke',
    values: ['<key id>'],
    options: [],
    what: 'revokes a key permanently; its next request is refused',
    run(call) {
      const id = valueAt(call, 0);
      const { done } = call.runVerb({ verb: 'revoke_key', keyId: id });
      return { text: done, json: { id, revoked: true } };
    },
  },
];

/** Formats a time as `2026-01-31 12:00:00 UTC`. */
function formatTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
