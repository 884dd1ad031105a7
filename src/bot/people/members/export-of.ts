import { formatUsd } from '../../../base/money.ts';
import type { AvatarConsentRow, FaceRow } from '../../../../db/schema/faces.ts';
import type { JobInputRow } from '../../../../db/schema/job-inputs.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import type { CapRow } from '../../../../db/schema/caps.ts';
import type { ReportRow } from '../../../../db/schema/reports.ts';
import type { SessionRow } from '../../../../db/schema/sessions.ts';
import type { VoiceConsentRow } from '../../../../db/schema/voice.ts';

/** All data that is stored about one member. */
interface StoredAboutMember {
  readonly userId: string;
  readonly exportedAtMs: number;
  readonly jobs: readonly JobRow[];
  readonly inputs: readonly JobInputRow[];
  readonly holds: readonly HoldRow[];
  readonly sessions: readonly SessionRow[];
  readonly faces: readonly FaceRow[];
  readonly consents: readonly AvatarConsentRow[];
  readonly voiceConsents: readonly VoiceConsentRow[];
  readonly neverSwapSinceMs: number | null;
  /** The limits that admins set for this member alone. */
  readonly limits: readonly CapRow[];
  readonly reports: readonly ReportRow[];
  /** Links to messages that could not be deleted. */
  readonly undeleted: readonly string[];
  /** Whether there are older jobs that are not included. */
  readonly isCut: boolean;
}

/** Returns the data as JSON for the member: plain names, times in ISO 8601, and no keys, tokens or signed links. */
export function exportOf(stored: StoredAboutMember): string {
  const holds = new Map(stored.holds.map((hold) => [hold.subject, hold]));
  const inputs = Map.groupBy(stored.inputs, (input) => input.job_id);
  return JSON.stringify(
    {
      exported_at: iso(stored.exportedAtMs),
      user_id: stored.userId,
      never_swap_my_face_since: iso(stored.neverSwapSinceMs),
      saved_faces: stored.faces.map(exportFace),
      avatar_consents: stored.consents.map(exportConsent),
      voice_consents: stored.voiceConsents.map(exportVoiceConsent),
      jobs: stored.jobs.map((job) => exportJob(job, inputs.get(job.id) ?? [], holds.get(job.id))),
      spending_limits: stored.limits.map(exportLimit),
      reports: stored.reports.map(exportReport),
      messages_not_deleted: stored.undeleted,
      live_sessions: stored.sessions.map(exportSession),
      ...(stored.isCut ? { note: 'Only your newest jobs are listed.' } : {}),
    },
    null,
    2,
  );
}

function exportFace(face: FaceRow): object {
  return {
    name: face.name,
    is_default: face.is_default === 1,
    size_bytes: face.size_bytes,
    saved_at: iso(face.attested_at_ms),
    agreed_to_text: face.text_version,
    scope: face.scope,
  };
}

function exportConsent(consent: AvatarConsentRow): object {
  return {
    server_id: consent.guild_id,
    for: consent.user_id === '' ? 'everybody' : consent.user_id,
    allowed: consent.is_allowed === 1,
    said_at: iso(consent.given_at_ms),
    agreed_to_text: consent.text_version,
  };
}

function exportVoiceConsent(consent: VoiceConsentRow): object {
  return {
    what: consent.channel_id === '' ? 'live_swap_pro' : 'voice_swap',
    server_id: consent.guild_id,
    channel_id: consent.channel_id === '' ? null : consent.channel_id,
    agreed_at: iso(consent.given_at_ms),
    agreed_to_text: consent.text_version,
    ended_at: iso(consent.revoked_at_ms),
    ended_by: consent.revoked_by,
  };
}

function exportJob(job: JobRow, inputs: readonly JobInputRow[], hold: HoldRow | undefined): object {
  return {
    id: job.id,
    what: job.capability,
    server_id: job.guild_id,
    channel_id: job.channel_id,
    message_id: job.result_message_id ?? job.reply_message_id,
    parameters: JSON.parse(job.parameters),
    stage: job.stage,
    outcome: job.outcome,
    asked_at: iso(job.accepted_at_ms),
    ended_at: iso(job.settled_at_ms),
    set_aside: hold ? formatUsd(hold.amount_micros) : null,
    charged: job.charged_micros === null ? null : formatUsd(job.charged_micros),
    result:
      job.result_mime === null
        ? null
        : { type: job.result_mime, size_bytes: job.result_bytes, is_kept: job.result_path !== null },
    files: inputs.map((input) => ({
      option: input.option_name,
      kind: input.kind,
      from: input.source,
      size_bytes: input.size_bytes,
      is_kept: input.path !== null,
    })),
  };
}

function exportSession(session: SessionRow): object {
  return {
    id: session.id,
    what: session.capability,
    server_id: session.guild_id,
    channel_id: session.channel_id,
    voice: session.voice_id,
    asked_at: iso(session.opened_at_ms),
    ended_at: iso(session.ended_at_ms),
    seconds: session.metered_ms / 1000,
    charged: session.charged_micros === null ? null : formatUsd(session.charged_micros),
  };
}

function exportLimit(cap: CapRow): object {
  return {
    server_id: cap.guild_id,
    what: cap.capability === '' ? 'everything' : cap.capability,
    period: cap.period,
    limit: formatUsd(cap.limit_micros),
    set_at: iso(cap.set_at_ms),
  };
}

function exportReport(report: ReportRow): object {
  return { server_id: report.guild_id, job_id: report.job_id, reported_at: iso(report.created_at_ms) };
}

function iso(atMs: number | null): string | null {
  return atMs === null ? null : new Date(atMs).toISOString();
}
