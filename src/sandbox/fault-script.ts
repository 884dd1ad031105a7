import { ChannelEncryption } from './encryption-script.ts';
import type { CdnFault, FaultPlan, RestFault } from './faults.ts';
import type { GatewayServer } from './gateway/gateway-server.ts';
import type { Calls } from './voice/calls.ts';

/** Failures on order. */
export class Faults {
  readonly #plan: FaultPlan;
  readonly #gateway: GatewayServer;
  readonly #calls: Calls;

  constructor(plan: FaultPlan, gateway: GatewayServer, calls: Calls) {
    this.#plan = plan;
    this.#gateway = gateway;
    this.#calls = calls;
  }

  /** Makes the next matching REST requests fail, before or after they took effect. */
  failNext(fault: RestFault): void {
    this.#plan.failNext(fault);
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

  /** The end-to-end encryption of a voice channel's call. */
  encryptionIn(channel: { readonly id: string }): ChannelEncryption {
    return new ChannelEncryption(this.#calls, channel.id);
  }

  /** Forgets every REST and CDN fault that has not happened yet. */
  clear(): void {
    this.#plan.clear();
  }
}
