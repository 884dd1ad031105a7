import { areShardsOf } from '../../base/setting-rules.ts';
import { isSafeUrl } from './is-safe-url.ts';
import { KINDS } from './kinds.ts';
import { malformedLine, shownText } from './malformed-line.ts';
import type { VariableValues } from './settings.ts';
import { VARIABLES } from './variables.ts';

/** A process's environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the errors about variables whose values contradict one another. */
export function conflictLines(env: Environment, values: VariableValues): readonly string[] {
  return [
    ...missingLines(env, values),
    ...shardLines(env, values.discord),
    ...doubleLines(env),
    ...unsafeUrlLines(env, values),
  ];
}

function missingLines(env: Environment, { mediaApi, chatPage }: VariableValues): readonly string[] {
  const lines: string[] = [];
  if (mediaApi.url !== null && !env['MEDIA_API_KEY'] && !env['MEDIA_API_KEY_FILE']) {
    lines.push(`MEDIA_API_KEY holds nothing: with MEDIA_API_URL it must hold ${KINDS.secret.allowed}`);
  }
  if (isWildcardHost(chatPage.host) && !env['CHAT_PAGE_URL']) {
    lines.push(
      `CHAT_PAGE_URL holds nothing: with CHAT_PAGE_HOST=${chatPage.host} it must hold ${KINDS.pageUrl.allowed}`,
    );
  }
  return lines;
}

function shardLines(env: Environment, { shards, shardCount }: VariableValues['discord']): readonly string[] {
  // A malformed shard count has an error of its own.
  if ((env['SHARD_COUNT'] && shardCount === null) || areShardsOf(shards, shardCount)) return [];
  const held = `SHARDS holds ${JSON.stringify(shownText(env['SHARDS'] ?? ''))}`;
  return shardCount === null
    ? [`${held}: then SHARD_COUNT must hold how many shards there are in all`]
    : [`${held}: with SHARD_COUNT=${shardCount} it may hold shards from 0 to ${shardCount - 1}`];
}

function doubleLines(env: Environment): readonly string[] {
  return VARIABLES.filter(({ setting }) => setting.orFile)
    .map(({ setting }) => setting.variable)
    .filter((variable) => env[variable] && env[`${variable}_FILE`])
    .map((variable) => `${variable}_FILE holds a file: then ${variable} must be empty`);
}

function unsafeUrlLines(env: Environment, { mediaApi, web }: VariableValues): readonly string[] {
  const mayUse = (url: string | null): boolean =>
    url === null || mediaApi.allowHttp || isSafeUrl(new URL(url));
  const lines: string[] = [];
  if (!mayUse(mediaApi.url)) {
    lines.push(malformedLine('MEDIA_API_URL', KINDS.apiUrl, env['MEDIA_API_URL'] ?? ''));
  }
  if (!mayUse(web.publicUrl)) {
    lines.push(malformedLine('PUBLIC_URL', KINDS.publicUrl, env['PUBLIC_URL'] ?? ''));
  }
  return lines;
}

/** Whether `host` stands for all addresses of this machine. A browser cannot open it. */
function isWildcardHost(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}
