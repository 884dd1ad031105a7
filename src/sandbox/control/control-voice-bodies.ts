import { z } from 'zod';
import { SNOWFLAKE } from '../chat/snowflake.ts';
import type { VoiceFaults } from '../voice/link-faults.ts';

const id = z.string().regex(SNOWFLAKE);
const percent = z.number().min(0).max(100).optional();
const times = z.int().min(1).max(10_000).optional();

/** The body of `POST .../voice/joins`. */
export const joinBody: z.ZodType<{
  in: string;
  self_mute?: boolean | undefined;
  self_deaf?: boolean | undefined;
}> = z.strictObject({ in: id, self_mute: z.boolean().optional(), self_deaf: z.boolean().optional() });

/**
 * The body of `POST .../voice/speaks`: a WAV file of 16-bit PCM at a rate that Opus supports, or the name of a sample
 * in that format.
 */
export const speakBody: z.ZodType<{ wav_base64: string } | { sample: string }> = z.union([
  z.strictObject({ wav_base64: z.base64() }),
  z.strictObject({ sample: z.string().max(100) }),
]);

/**
 * The body of `POST .../voice/sets`: the member's own mute and deafen switches, and moderators' actions on the member
 * or the bot.
 */
export const standingBody: z.ZodType<{
  self_mute?: boolean | undefined;
  self_deaf?: boolean | undefined;
  mute?: boolean | undefined;
  deaf?: boolean | undefined;
  move_to?: string | undefined;
  may_speak?: boolean | undefined;
}> = z.strictObject({
  self_mute: z.boolean().optional(),
  self_deaf: z.boolean().optional(),
  mute: z.boolean().optional(),
  deaf: z.boolean().optional(),
  move_to: id.optional(),
  may_speak: z.boolean().optional(),
});

type Changes = Partial<VoiceFaults>;

/** Packet faults, with the API's property names. */
const packetFaults: z.ZodType<Changes> = z
  .strictObject({
    loss_percent: percent,
    loss_burst: z
      .strictObject({ packets: z.int().min(1).max(10_000), every_packets: z.int().min(1).max(100_000) })
      .nullable()
      .optional(),
    reorder_percent: percent,
    duplicate_percent: percent,
    jitter_ms: z.number().min(0).max(5000).optional(),
    corrupt_percent: percent,
    padding_percent: percent,
    has_extension: z.boolean().optional(),
    speaking_event: z.enum(['first_packet', 'late', 'missing']).optional(),
    is_dead: z.boolean().optional(),
  })
  .transform((wire): Changes => {
    const burst = wire.loss_burst;
    const changes: { [K in keyof VoiceFaults]: VoiceFaults[K] | undefined } = {
      lossPercent: wire.loss_percent,
      lossBurst: burst ? { packets: burst.packets, everyPackets: burst.every_packets } : burst,
      reorderPercent: wire.reorder_percent,
      duplicatePercent: wire.duplicate_percent,
      jitterMs: wire.jitter_ms,
      corruptPercent: wire.corrupt_percent,
      paddingPercent: wire.padding_percent,
      hasExtension: wire.has_extension,
      speakingEvent: wire.speaking_event,
      isDead: wire.is_dead,
    };
    return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  });

/** Faults in a call's encryption. */
export interface EncryptionFaultBody {
  readonly corrupt_welcome?: number | undefined;
  readonly lose_commits?: true | undefined;
  readonly delay_transitions_ms?: number | undefined;
  readonly number_first_transition?: boolean | undefined;
  readonly let_bots_commit?: boolean | undefined;
  readonly leave_plain?: number | undefined;
  readonly keep_plain?: boolean | undefined;
  readonly restart?: true | undefined;
  readonly rekey?: true | undefined;
}

const encryptionFaults: z.ZodType<EncryptionFaultBody> = z.strictObject({
  corrupt_welcome: times,
  lose_commits: z.literal(true).optional(),
  delay_transitions_ms: z.int().min(0).max(600_000).optional(),
  number_first_transition: z.boolean().optional(),
  let_bots_commit: z.boolean().optional(),
  leave_plain: times,
  keep_plain: z.boolean().optional(),
  restart: z.literal(true).optional(),
  rekey: z.literal(true).optional(),
});

/** A voice fault to inject. */
export interface VoiceFaultBody {
  readonly channel_id: string;
  readonly speaker_id?: string | undefined;
  readonly set?: Changes | undefined;
  readonly corrupt_next?: number | undefined;
  readonly spoof_next?: number | undefined;
  readonly close?: number | undefined;
  readonly refuse_next_resume?: number | undefined;
  readonly refuse_next?: { readonly code: number; readonly times: number } | undefined;
  readonly change_server_after_ms?: number | undefined;
  readonly drop_ip_discovery?: number | undefined;
  readonly clear?: true | undefined;
  readonly encryption?: EncryptionFaultBody | undefined;
}

/** The `voice` property of `POST /faults`. */
export const voiceFaultBody: z.ZodType<VoiceFaultBody> = z.strictObject({
  channel_id: id,
  speaker_id: id.optional(),
  set: packetFaults.optional(),
  corrupt_next: times,
  spoof_next: times,
  close: z.union([z.literal(1006), z.int().min(4000).max(4999)]).optional(),
  refuse_next_resume: times,
  refuse_next: z
    .strictObject({ code: z.int().min(4000).max(4999), times: z.int().min(1).max(10_000) })
    .optional(),
  change_server_after_ms: z.int().min(0).max(600_000).optional(),
  drop_ip_discovery: times,
  clear: z.literal(true).optional(),
  encryption: encryptionFaults.optional(),
});
