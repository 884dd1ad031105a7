import type { ArmedFault, CdnFault, FaultPlan, RestFault } from './fault-plan.ts';
import type { GatewayServer } from './gateway/gateway-server.ts';
import { ChannelVoiceFaults } from './channel-voice-faults.ts';
import type { Calls } from './voice/calls.ts';
import type { VoiceServer } from './voice/voice-server.ts';

/** The parts of the sandbox in which faults can be injected. */
interface FaultParts {
  readonly plan: FaultPlan;
  readonly gateway: GatewayServer;
  readonly voice: VoiceServer;
  readonly calls: Calls;
}

/** Injects faults into the sandbox. */
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

  /** Makes the next matching REST requests fail, before or after they take effect. */
  failNext(fault: RestFault): ArmedFault {
    return this.#plan.failNext(fault);
  }

  /** Makes the next downloads slow, truncated, rejected or mislabelled. */
  failNextDownload(fault: CdnFault): void {
    this.#plan.failNextDownload(fault);
  }

  /**
   * Closes every gateway connection with this close code. 1006 (the default) cuts the connections without a close code.
   */
  dropGateway(code = 1006): void {
    this.#gateway.drop(code);
  }

  /** Asks every client to reconnect (op 7). */
  askToReconnect(): void {
    this.#gateway.askToReconnect();
  }

  /** Informs every client that its session is invalid (op 9). */
  invalidateSessions(options: { readonly resumable: boolean }): void {
    this.#gateway.invalidateSessions(options.resumable);
  }

  /** Sends the next `times` gateway events twice. */
  duplicateDispatch(times = 1): void {
    this.#gateway.duplicateNext(times);
  }

  /** Stops or resumes answering heartbeats. */
  answerHeartbeats(answers: boolean): void {
    this.#gateway.answerHeartbeats(answers);
  }

  /** Whether interactions are withheld from the bots. */
  get losesInteractions(): boolean {
    return this.#gateway.losesInteractions;
  }

  /** While `loses` is true, bots do not receive interactions, so members see "The application did not respond". */
  loseInteractions(loses: boolean): void {
    this.#gateway.loseInteractions(loses);
  }

  /** The percentage of packets to bots that are lost in every call, including calls that start later. */
  get voiceLossPercent(): number {
    return this.#calls.faults.lossPercent ?? 0;
  }

  /** Loses this percentage of packets in every call; 0 loses none. */
  loseVoice(lossPercent: number): void {
    this.#calls.faults = { lossPercent };
  }

  /** Returns the voice faults of one channel. */
  voiceIn(channel: { readonly id: string }): ChannelVoiceFaults {
    return new ChannelVoiceFaults(this.#calls, this.#voice, channel.id);
  }

  /**
   * Leaves the next `times` IP discovery requests unanswered. Bots send them to learn their own address from the voice
   * server.
   */
  dropIpDiscovery(times = 1): void {
    this.#voice.dropDiscoveries(times);
  }

  /** Removes all pending REST and CDN faults. */
  clear(): void {
    this.#plan.clear();
  }
}
