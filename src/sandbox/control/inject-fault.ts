import type { ChannelEncryption } from '../channel-encryption.ts';
import type { Faults } from '../faults.ts';
import type { FaultButtons } from '../page/fault-buttons.ts';
import type { FaultBody } from './control-bodies.ts';
import type { EncryptionFaultBody } from './control-voice-bodies.ts';

/** Injects the fault that `POST /control/faults` requests. */
export function injectFault(
  faults: Faults,
  buttons: FaultButtons,
  { rest, download, gateway, voice, named }: FaultBody,
): { ordered: true } | FaultButtons['views'] {
  if (named) {
    buttons.set(named.name, named.on);
    return buttons.views;
  }
  if (rest) {
    const { delay_ms: delayMs, ...others } = rest;
    faults.failNext(defined({ ...others, delayMs }));
  }
  if (download) {
    faults.failNextDownload(
      defined({
        delayMs: download.delay_ms,
        bytesPerSecond: download.bytes_per_second,
        cutAfterBytes: download.cut_after_bytes,
        status: download.status,
        contentType: download.content_type,
        times: download.times,
      }),
    );
  }
  if (gateway) orderGatewayFault(faults, gateway);
  if (voice) orderVoiceFault(faults, voice);
  return { ordered: true };
}

function orderGatewayFault(faults: Faults, gateway: NonNullable<FaultBody['gateway']>): void {
  if (gateway.answer_heartbeats !== undefined) faults.answerHeartbeats(gateway.answer_heartbeats);
  if (gateway.duplicate !== undefined) faults.duplicateDispatch(gateway.duplicate);
  if (gateway.reconnect) faults.askToReconnect();
  if (gateway.invalidate) faults.invalidateSessions({ resumable: gateway.invalidate === 'resumable' });
  if (gateway.drop !== undefined) faults.dropGateway(gateway.drop);
}

function orderVoiceFault(faults: Faults, voice: NonNullable<FaultBody['voice']>): void {
  const channel = faults.voiceIn({ id: voice.channel_id });
  const speaker = voice.speaker_id === undefined ? undefined : { id: voice.speaker_id };
  if (voice.clear) channel.clear();
  if (voice.refuse_next) channel.refuseNext(voice.refuse_next.code, voice.refuse_next.times);
  if (voice.refuse_next_resume !== undefined) channel.refuseNextResume(voice.refuse_next_resume);
  if (voice.set) channel.set(voice.set, speaker);
  if (speaker && voice.corrupt_next !== undefined) channel.corruptNext(speaker, voice.corrupt_next);
  if (speaker && voice.spoof_next !== undefined) channel.spoofNext(speaker, voice.spoof_next);
  if (voice.drop_ip_discovery !== undefined) faults.dropIpDiscovery(voice.drop_ip_discovery);
  if (voice.change_server_after_ms !== undefined) channel.changeServer(voice.change_server_after_ms);
  if (voice.close !== undefined) channel.close(voice.close);
  if (voice.encryption) orderEncryptionFault(channel.encryption, voice.encryption, speaker);
}

function orderEncryptionFault(
  encryption: ChannelEncryption,
  ordered: EncryptionFaultBody,
  speaker: { readonly id: string } | undefined,
): void {
  const { delay_transitions_ms: delayMs, number_first_transition: isNumbered } = ordered;
  if (ordered.corrupt_welcome !== undefined) encryption.corruptWelcome(ordered.corrupt_welcome);
  if (ordered.lose_commits) encryption.loseCommits();
  if (delayMs !== undefined) encryption.delayTransitions(delayMs);
  if (isNumbered !== undefined) encryption.numberFirstTransition(isNumbered);
  if (ordered.let_bots_commit !== undefined) encryption.letBotsCommit(ordered.let_bots_commit);
  if (speaker && ordered.leave_plain !== undefined) encryption.leavePlain(speaker, ordered.leave_plain);
  if (ordered.keep_plain !== undefined) encryption.keepPlain(ordered.keep_plain);
  if (ordered.restart) encryption.restart();
  if (ordered.rekey) encryption.rekey();
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Returns a copy without the properties that are undefined. */
function defined<T extends object>(value: T): Defined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as Defined<T>;
}
