import type { ArmedFault, CdnFault, FaultPlan, RestFault } from './faults.ts';
import type { GatewayServer } from './gateway/gateway-server.ts';
import { ChannelVoiceFaults } from './voice-fault-script.ts';
import type { Calls } from './voice/calls.ts';
import type { VoiceServer } from './voice/voice-server.ts';

/** What can fail. */
interface FaultParts {
  readonly plan: FaultPlan;
  readonly gateway: GatewayServer;
  readonly voice: VoiceServer;
  readonly calls: Calls;
}

/** Failures on order. */
export class Faults {
  readonly #plan: FaultPlan;
  readonly #gateway: GatewayServer;
  readonly #voice: VoiceServer;
  readonly #calls: Calls;

  constructor(parts: FaultParts) {
    this.#plan = parts.plan;
    this.#gateway = parts.gateway;
    this.#voice = parts.voice;
    this.#calls = parts.calls;
  }

  /** Makes the next matching REST requests fail, before or after they took effect. */
  failNext(fault: RestFault): ArmedFault {
    return this.#plan.failNext(fault);
  }

  /** Makes the next downloads slow, cut, refused or mislabelled. */
  failNextDownload(fault: CdnFault): void {
    this.#plan.failNextDownload(fault);
  }

  /** Ends every gateway connection with this close code; 1006 (the default) cuts them without one. */
  dropGateway(code = 1006): void {
    this.#gateway.drop(code);
  }

  /** Asks every client to reconnect (op 7). */
  askToReconnect(): void {
    this.#gateway.askToReconnect();
  }

  /** Tells every client that its session is invalid (op 9). */
  invalidateSessions(options: { readonly resumable: boolean }): void {
    this.#gateway.invalidateSessions(options.resumable);
  }

  /** The next `times` gateway events arrive twice. */
  duplicateDispatch(times = 1): void {
    this.#gateway.duplicateNext(times);
  }

  /** Stops or resumes answering heartbeats. */
  answerHeartbeats(answers: boolean): void {
    this.#gateway.answerHeartbeats(answers);
  }

  /** Whether bots hear nothing of what members use. */
  get losesInteractions(): boolean {
    return this.#gateway.losesInteractions;
  }

  /** While true, bots hear nothing of what members use: "The application did not respond". */
  loseInteractions(loses: boolean): void {
    this.#gateway.loseInteractions(loses);
  }

  /** How many packets are lost on their way to bots in every call, also in those that begin later. */
  get voiceLossPercent(): number {
    return this.#calls.faults.lossPercent ?? 0;
  }

  /** Loses so many packets in every call; 0: none. */
  loseVoice(lossPercent: number): void {
    this.#calls.faults = { lossPercent };
  }

  /** Failures of voice in one channel. */
  voiceIn(channel: { readonly id: string }): ChannelVoiceFaults {
    return new ChannelVoiceFaults(this.#calls, this.#voice, channel.id);
  }

  /** The next `times` bots that ask the voice server for their own address get no answer. */
  dropIpDiscovery(times = 1): void {
    this.#voice.dropDiscoveries(times);
  }

  /** Forgets every REST and CDN fault that has not happened yet. */
  clear(): void {
    this.#plan.clear();
  }
}
