import type { Faults } from '../faults.ts';
import type { ArmedFault } from '../fault-plan.ts';
import type { PageFault, PageFaultName } from './wire-views.ts';
import type { WireLog } from './wire-log.ts';

/** A fault outside the sandbox. The program that starts the sandbox connects the fault to its button. */
export interface FaultPort {
  /** Whether the fault is injected and still pending. */
  readonly isOn: () => boolean;
  readonly set: (on: boolean) => void;
}

/** The faults that happen outside the sandbox. */
export type ConnectedFaultName = 'lose_webhook' | 'no_capacity';

interface Button extends Pick<PageFault, 'name' | 'title' | 'explanation' | 'kind'> {
  readonly port: () => FaultPort | undefined;
}

const LOSS_PERCENT = 5;
const REST_TIMES = 3;
const NOT_CONNECTED = 'There is no media service beside this sandbox to order that from';

/** The fault buttons of the chat page. They inject the same faults that tests inject by script. */
export class FaultButtons {
  readonly #faults: Faults;
  readonly #wireLog: WireLog;
  readonly #connected = new Map<PageFaultName, FaultPort>();
  readonly #armed = new Map<PageFaultName, ArmedFault>();
  readonly #buttons: readonly Button[];

  constructor(parts: { readonly faults: Faults; readonly wireLog: WireLog }) {
    this.#faults = parts.faults;
    this.#wireLog = parts.wireLog;
    this.#buttons = this.#makeButtons();
  }

  /** Connects a button to a fault outside the sandbox. */
  connect(name: ConnectedFaultName, port: FaultPort): void {
    this.#connected.set(name, port);
  }

  /** The current state of all buttons. */
  get views(): readonly PageFault[] {
    return this.#buttons.map(({ name, title, explanation, kind, port: portOf }) => {
      const port = portOf();
      return {
        name,
        title,
        explanation,
        kind,
        on: port?.isOn() ?? false,
        unavailable: port ? null : NOT_CONNECTED,
      };
    });
  }

  /** Injects a fault, or cancels it. Throws if the fault is outside the sandbox and has not been connected. */
  set(name: PageFaultName, on: boolean): void {
    const port = this.#buttons.find((button) => button.name === name)?.port();
    if (!port) throw new Error(`Cannot order "${name}": ${NOT_CONNECTED}`);
    port.set(on);
    this.#wireLog.note({ source: 'fault', what: name, detail: { on } });
  }

  #makeButtons(): readonly Button[] {
    return [
      {
        name: 'drop_gateway',
        title: 'Drop the gateway',
        explanation: 'Cuts the connection of the bot to the chat. It should come back and miss nothing.',
        kind: 'once',
        port: () => ({ isOn: () => false, set: (on) => on && this.#faults.dropGateway() }),
      },
      {
        name: 'silent_bot',
        title: 'Bot does not respond',
        explanation: 'The bot hears nothing of what members use, so that each use fails after 3 seconds.',
        kind: 'switch',
        port: () => ({
          isOn: () => this.#faults.losesInteractions,
          set: (on) => this.#faults.loseInteractions(on),
        }),
      },
      {
        name: 'lose_webhook',
        title: 'Lose the next webhook',
        explanation:
          'The media service reports the end of the next job in vain. The bot should find out by asking, within about half a minute.',
        kind: 'once',
        port: () => this.#connected.get('lose_webhook'),
      },
      {
        name: 'no_capacity',
        title: 'Service out of capacity',
        explanation:
          'The media service takes no new jobs and sessions. The bot should let members wait in line, and say so.',
        kind: 'switch',
        port: () => this.#connected.get('no_capacity'),
      },
      {
        name: 'voice_loss',
        title: '5 % packet loss',
        explanation:
          'One voice packet out of twenty is lost in every call. Speech should stay understandable.',
        kind: 'switch',
        port: () => ({
          isOn: () => this.#faults.voiceLossPercent > 0,
          set: (on) => this.#faults.loseVoice(on ? LOSS_PERCENT : 0),
        }),
      },
      {
        name: 'rest_500',
        title: 'Chat errors (500)',
        explanation: `The next ${REST_TIMES} requests of the bot to the chat fail. It should try again.`,
        kind: 'once',
        port: () => this.#rest('rest_500', 500),
      },
      {
        name: 'rest_429',
        title: 'Rate limit (429)',
        explanation: `The next ${REST_TIMES} requests of the bot to the chat are asked to wait a second.`,
        kind: 'once',
        port: () => this.#rest('rest_429', 429),
      },
    ];
  }

  #rest(name: PageFaultName, status: number): FaultPort {
    return {
      isOn: () => this.#armed.get(name)?.isArmed() ?? false,
      set: (on) => {
        this.#armed.get(name)?.disarm();
        this.#armed.delete(name);
        if (on) this.#armed.set(name, this.#faults.failNext({ status, times: REST_TIMES }));
      },
    };
  }
}
