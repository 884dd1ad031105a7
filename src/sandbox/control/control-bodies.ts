import { z } from 'zod';
import { PERMISSION_BITS, type PermissionName } from '../chat/permissions.ts';
import { SNOWFLAKE } from '../chat/snowflake.ts';
import type { OptionValues } from '../script/command-data.ts';
import type { FormValues } from '../script/form-data.ts';
import type { PageFaultName } from '../page/wire-views.ts';
import type { FileInput } from '../script/resolved-data.ts';
import { ChosenFile } from './chosen-file.ts';
import { type VoiceFaultBody, voiceFaultBody } from './control-voice-bodies.ts';

const id = z.string().regex(SNOWFLAKE);
const name = z.string().min(1).max(100);
const permission = z.enum(Object.keys(PERMISSION_BITS) as [PermissionName, ...PermissionName[]]);

const givenFile = z
  .strictObject({ name: z.string().min(1).max(200), base64: z.base64(), content_type: z.string().optional() })
  .transform((entry): FileInput => ({
    name: entry.name,
    bytes: Buffer.from(entry.base64, 'base64'),
    ...(entry.content_type === undefined ? {} : { contentType: entry.content_type }),
  }));
/** A file in the body itself, or a file that `openFiles` has loaded. */
const file = z.union([z.instanceof(ChosenFile), givenFile]);
const optionValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.strictObject({ id }),
  z.strictObject({ file }).transform((entry) => entry.file),
]);

/** The command to run, its channel and its options. */
interface RunBody {
  readonly command: string;
  readonly in: string;
  readonly options?: OptionValues | undefined;
}

/** The body of `POST /guilds`. */
export const guildBody: z.ZodType<{ name: string; attachment_size_limit?: number | undefined }> =
  z.strictObject({
    name,
    attachment_size_limit: z.int().min(1).optional(),
  });

/** The body of `POST .../channels`. */
export const channelBody: z.ZodType<{
  name: string;
  kind: 'text' | 'voice' | 'stage';
  age_restricted?: boolean | undefined;
}> = z.strictObject({
  name,
  kind: z.enum(['text', 'voice', 'stage']),
  age_restricted: z.boolean().optional(),
});

/** The body of `POST .../roles`. */
export const roleBody: z.ZodType<{ name: string; permissions: PermissionName[] }> = z.strictObject({
  name,
  permissions: z.array(permission).max(64),
});

/** The body of `POST .../members`. */
export const memberBody: z.ZodType<{ name: string; role_ids?: string[] | undefined }> = z.strictObject({
  name,
  role_ids: z.array(id).max(50).optional(),
});

/** The body of `POST .../runs`. */
export const runBody: z.ZodType<RunBody> = z.strictObject({
  command: z.string().min(1).max(100),
  in: id,
  options: z.record(z.string(), optionValue).optional(),
});

/** The body of `POST .../presses`. */
export const pressBody: z.ZodType<{ button: string; channel_id: string; message_id: string }> =
  z.strictObject({
    button: z.string().min(1).max(100),
    channel_id: id,
    message_id: id,
  });

/** The body of `POST .../selects`. */
export const selectBody: z.ZodType<{
  values: string[];
  menu?: string | undefined;
  channel_id: string;
  message_id: string;
}> = z.strictObject({
  values: z.array(z.string().max(100)).max(25),
  menu: z.string().max(100).optional(),
  channel_id: id,
  message_id: id,
});

/** The body of `POST .../submits`. */
export const submitBody: z.ZodType<{ use_id: string; values: FormValues }> = z.strictObject({
  use_id: id,
  values: z.record(
    z.string(),
    z.union([
      z.string(),
      z.array(z.string()).max(25),
      z.strictObject({ file }).transform((entry) => entry.file),
      z.array(z.strictObject({ file }).transform((entry) => entry.file)).max(10),
    ]),
  ),
});

/** The body of `POST .../completes`. */
export const completeBody: z.ZodType<{
  command: string;
  in: string;
  option: string;
  typed: string | number;
  options?: OptionValues | undefined;
}> = z.strictObject({
  command: z.string().min(1).max(100),
  in: id,
  option: name,
  typed: z.union([z.string().max(6000), z.number()]),
  options: z.record(z.string(), optionValue).optional(),
});

/** The body of `POST .../runs-on`. */
export const runOnBody: z.ZodType<{
  name: string;
  in: string;
  message_id?: string | undefined;
  member_id?: string | undefined;
}> = z.strictObject({ name, in: id, message_id: id.optional(), member_id: id.optional() });

/** The body of `POST .../says`. */
export const sayBody: z.ZodType<{ content: string; in: string; files?: FileInput[] | undefined }> =
  z.strictObject({
    content: z.string().max(2000),
    in: id,
    files: z.array(file).max(10).optional(),
  });

/** A fault to inject. Exactly one of the five properties is set. */
export interface FaultBody {
  readonly rest?: {
    readonly method?: string | undefined;
    readonly route?: string | undefined;
    readonly times?: number | undefined;
    readonly delay_ms?: number | undefined;
    readonly status?: number | 'cut' | undefined;
    readonly body?: unknown;
    readonly moment?: 'before' | 'after' | undefined;
  };
  readonly download?: {
    readonly delay_ms?: number | undefined;
    readonly bytes_per_second?: number | undefined;
    readonly cut_after_bytes?: number | undefined;
    readonly status?: number | undefined;
    readonly content_type?: string | undefined;
    readonly times?: number | undefined;
  };
  readonly gateway?: {
    readonly drop?: number | undefined;
    readonly reconnect?: boolean | undefined;
    readonly invalidate?: 'resumable' | 'final' | undefined;
    readonly duplicate?: number | undefined;
    readonly answer_heartbeats?: boolean | undefined;
  };
  readonly voice?: VoiceFaultBody;
  readonly named?: { readonly name: PageFaultName; readonly on: boolean };
}

const FAULT_NAMES = [
  'drop_gateway',
  'lose_webhook',
  'voice_loss',
  'no_capacity',
  'rest_500',
  'rest_429',
  'silent_bot',
] as const satisfies readonly PageFaultName[];
const count = z.int().min(1).max(1000).optional();
const status = z.int().min(400).max(599);

/** The body of `POST /faults`. */
export const faultBody: z.ZodType<FaultBody> = z.union([
  z.strictObject({
    rest: z.strictObject({
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
      route: z.string().startsWith('/').optional(),
      times: count,
      delay_ms: z.int().min(0).max(600_000).optional(),
      status: z.union([status, z.literal('cut')]).optional(),
      body: z.unknown().optional(),
      moment: z.enum(['before', 'after']).optional(),
    }),
  }),
  z.strictObject({
    download: z.strictObject({
      delay_ms: z.int().min(0).max(600_000).optional(),
      bytes_per_second: z.int().min(1).optional(),
      cut_after_bytes: z.int().min(0).optional(),
      status: status.optional(),
      content_type: z.string().optional(),
      times: count,
    }),
  }),
  z.strictObject({
    gateway: z.strictObject({
      drop: z.union([z.literal(1006), z.int().min(4000).max(4999)]).optional(),
      reconnect: z.boolean().optional(),
      invalidate: z.enum(['resumable', 'final']).optional(),
      duplicate: count,
      answer_heartbeats: z.boolean().optional(),
    }),
  }),
  z.strictObject({ voice: voiceFaultBody }),
  z.strictObject({ named: z.strictObject({ name: z.enum(FAULT_NAMES), on: z.boolean() }) }),
]);

/** How long a request may wait, and for which state or text. */
interface WaitQuery {
  readonly timeoutMs: number;
  readonly until: 'acknowledged' | 'replied' | 'failed' | undefined;
  readonly contains: string | undefined;
}

const waitQuery = z.strictObject({
  timeout_ms: z.coerce.number().int().min(0).max(120_000).default(0),
  until: z.enum(['acknowledged', 'replied', 'failed']).optional(),
  contains: z.string().max(2000).optional(),
});

/** Parses `?timeout_ms=&until=&contains=`. Throws a `ZodError` if it is invalid. */
export function readWait(query: unknown): WaitQuery {
  const { timeout_ms: timeoutMs, until, contains } = waitQuery.parse(query);
  return { timeoutMs, until, contains };
}
