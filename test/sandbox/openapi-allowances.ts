import type { Exchange } from '../../src/sandbox/rest-exchange.ts';

/** A place where Discord's documentation and its OpenAPI description differ, and the documentation is right. */
export interface Allowance {
  readonly because: string;
  readonly apply: (value: unknown, exchange: Exchange) => unknown;
}

type Json = Record<string, unknown>;

export const requestAllowances: readonly Allowance[] = [
  {
    because: 'resources/message.mdx, attachment object: "id: snowflake or number"; discord.py sends integers',
    apply: (value) => mapKey(value, 'attachments', (list) => mapList(list, numberId)),
  },
  {
    because: 'discord.js writes a kept attachment with all its own properties; Discord drops them',
    apply: (value) => mapKey(value, 'attachments', (list) => mapList(list, knownAttachmentProperties)),
  },
  {
    because: 'application-commands.mdx: default_member_permissions is "string", the description says integer',
    apply: (value) =>
      everywhere(value, 'default_member_permissions', (bits) => (bits === null ? null : Number(bits))),
  },
  {
    because: 'application-commands.mdx lists nsfw of a command, the description omits it in requests',
    apply: (value) => without(value, 'nsfw'),
  },
  {
    because: 'change-log 5 Aug 2026, file_types of attachment options: newer than the description',
    apply: (value) => without(value, 'file_types'),
  },
  {
    because:
      'discord.js sends tts and enforce_nonce with every message; Discord ignores them where they mean nothing',
    apply: (value, exchange) =>
      exchange.path.startsWith('/interactions') || exchange.path.startsWith('/webhooks')
        ? without(without(value, 'enforce_nonce'), 'tts')
        : exchange.method === 'PATCH'
          ? without(without(value, 'tts'), 'enforce_nonce')
          : value,
  },
];

export const responseAllowances: readonly Allowance[] = [
  {
    because:
      'receiving-and-responding.mdx, callback resource: "type: interaction callback type", so 5 and 6 for deferrals; the description knows 4 and 7 only',
    apply: (value) => mapKey(value, 'resource', (resource) => mapKey(resource, 'type', immediateType)),
  },
  {
    because:
      'reference.mdx, Error Messages: `_errors[].code` is text such as BASE_TYPE_REQUIRED, the description says integer',
    apply: (value, exchange) => (exchange.status >= 400 ? checkErrors(value) : value),
  },
  {
    because: 'change-log 5 Aug 2026, file_types of attachment options: newer than the description',
    apply: (value) => without(value, 'file_types'),
  },
];

/**
 * Drops `errors` if every leaf is a list of `{code, message}` objects; otherwise keeps `errors`, so that the check
 * reports it.
 */
function checkErrors(value: unknown): unknown {
  if (!isObject(value) || value['errors'] === undefined) return value;
  const isTree = (node: unknown): boolean =>
    isObject(node) &&
    Object.entries(node).every(([key, inner]) =>
      key === '_errors'
        ? Array.isArray(inner) &&
          inner.every(
            (leaf) =>
              isObject(leaf) && typeof leaf['code'] === 'string' && typeof leaf['message'] === 'string',
          )
        : isTree(inner),
    );
  return isTree(value['errors']) ? without(value, 'errors') : value;
}

function immediateType(type: unknown): unknown {
  return type === 5 ? 4 : type === 6 ? 7 : type;
}

function numberId(entry: unknown): unknown {
  return mapKey(entry, 'id', (id) => (typeof id === 'number' ? String(id) : id));
}

function knownAttachmentProperties(entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const known = ['id', 'filename', 'description', 'title', 'duration_secs', 'waveform', 'is_spoiler'];
  return Object.fromEntries(Object.entries(entry).filter(([key]) => known.includes(key)));
}

function mapKey(value: unknown, key: string, change: (inner: unknown) => unknown): unknown {
  if (!isObject(value)) return value;
  const nested = isObject(value['data']) ? { ...value, data: mapKey(value['data'], key, change) } : value;
  return key in nested ? { ...nested, [key]: change(nested[key]) } : nested;
}

function mapList(value: unknown, change: (inner: unknown) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : value;
}

function everywhere(value: unknown, key: string, change: (inner: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => everywhere(item, key, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === key ? change(inner) : everywhere(inner, key, change),
    ]),
  );
}

function without(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, key));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== key)
      .map(([name, inner]) => [name, without(inner, key)]),
  );
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
