import type { ApplicationCommandType, Interaction, ModalSubmitInteraction } from 'discord.js';
import type { AnswerableInteraction } from './acknowledge.ts';
import { parseCommandCall } from './command-call.ts';
import type {
  Answer,
  Command,
  CommandResult,
  CommandServices,
  Component,
  Form,
  MenuCommand,
} from '../command.ts';
import { type ComponentInteraction, parseComponentCall } from './component-call.ts';
import { isOwnCustomId, parseCustomId } from '../words/replies/custom-id.ts';
import { checkDemands } from './check-demands.ts';
import { parseFormCall } from './form-call.ts';
import { type MenuInteraction, parseMenuCall } from './menu-call.ts';
import { sentenceReply } from '../words/replies/replies.ts';

/** All the bot's handlers that members can use in Discord. */
export interface InteractionHandlers {
  readonly commands: readonly Command[];
  readonly menus?: readonly MenuCommand[];
  readonly components?: readonly Component[];
  readonly forms?: readonly Form[];
}

/** One use of a handler, parsed and ready to run. */
export interface Task {
  readonly answer: Answer;
  readonly execute: (services: CommandServices) => Promise<CommandResult>;
}

const OLD_BUTTON = 'This button is from an older version of the bot. Please send the command again.';
const OLD_FORM = 'This form is from an older version of the bot. Please open it again.';

/** Finds the handler for an interaction. Ignores interactions that do not belong to this bot. */
export class InteractionRouter {
  readonly #commands: ReadonlyMap<string, Command>;
  readonly #menus: ReadonlyMap<string, MenuCommand>;
  readonly #components: ReadonlyMap<string, Component>;
  readonly #forms: ReadonlyMap<string, Form>;
  #ids: ReadonlySet<string> = new Set();

  constructor({ commands, menus = [], components = [], forms = [] }: InteractionHandlers) {
    this.#commands = byKey(commands, ({ data }) => data.name);
    this.#menus = byKey(menus, ({ data }) => menuKey(data.type, data.name));
    this.#components = byKey(components, ({ action }) => action);
    this.#forms = byKey(forms, ({ action }) => action);
  }

  /** From now on, finds only commands and menus with these ids. Before that, only the name counts. */
  expectIds(ids: Iterable<string>): void {
    this.#ids = new Set(ids);
  }

  /** Returns the slash command that an interaction runs or requests suggestions for, if it belongs to this bot. */
  commandOf(interaction: { readonly commandId: string; readonly commandName: string }): Command | undefined {
    return this.#isOwn(interaction.commandId) ? this.#commands.get(interaction.commandName) : undefined;
  }

  /**
   * Returns the task for an interaction, or `undefined` if the interaction does not belong to this bot. Never throws: a
   * malformed interaction becomes a task that fails.
   */
  taskOf(interaction: AnswerableInteraction, receivedAtMs: number): Task | undefined {
    if (interaction.isChatInputCommand()) {
      const command = this.commandOf(interaction);
      if (!command) return undefined;
      const { answer = 'public' } = command;
      return task(
        () => {
          const call = parseCommandCall(interaction, receivedAtMs);
          checkDemands(command.data, interaction);
          return call;
        },
        (call) => (typeof answer === 'function' ? answer(call) : answer),
        (call, services) => command.execute(call, services),
      );
    }
    if (interaction.isContextMenuCommand()) return this.#menuTask(interaction, receivedAtMs);
    const { customId } = interaction;
    if (!isOwnCustomId(customId)) return undefined;
    return interaction.isModalSubmit()
      ? this.#formTask(interaction, receivedAtMs)
      : this.#componentTask(interaction, receivedAtMs);
  }

  #menuTask(interaction: MenuInteraction, receivedAtMs: number): Task | undefined {
    if (!this.#isOwn(interaction.commandId)) return undefined;
    const menu = this.#menus.get(menuKey(interaction.commandType, interaction.commandName));
    return (
      menu &&
      task(
        () => {
          const call = parseMenuCall(interaction, receivedAtMs);
          checkDemands(menu.data, interaction);
          return call;
        },
        () => menu.answer,
        (call, services) => menu.execute(call, services),
      )
    );
  }

  #componentTask(interaction: ComponentInteraction, receivedAtMs: number): Task {
    const action = parseCustomId(interaction.customId);
    const component = action && this.#components.get(action.name);
    if (!component) return sentenceTask(OLD_BUTTON);
    return task(
      () => parseComponentCall(interaction, action, receivedAtMs),
      () => component.answer,
      (call, services) => component.execute(call, services),
    );
  }

  #formTask(interaction: ModalSubmitInteraction, receivedAtMs: number): Task {
    const action = parseCustomId(interaction.customId);
    const form = action && this.#forms.get(action.name);
    if (!form) return sentenceTask(OLD_FORM);
    return task(
      () => parseFormCall(interaction, action, receivedAtMs),
      ({ message }) => (form.answer === 'update' && message === null ? 'private' : form.answer),
      (call, services) => form.execute(call, services),
    );
  }

  #isOwn(commandId: string): boolean {
    return this.#ids.size === 0 || this.#ids.has(commandId);
  }
}

/** Returns whether an interaction expects an answer; a request for suggestions does not. */
export function isAnswerable(interaction: Interaction): interaction is AnswerableInteraction {
  return (
    interaction.isChatInputCommand() ||
    interaction.isContextMenuCommand() ||
    interaction.isMessageComponent() ||
    interaction.isModalSubmit()
  );
}

function task<Call>(
  parse: () => Call,
  answer: (call: Call) => Answer,
  execute: (call: Call, services: CommandServices) => Promise<CommandResult>,
): Task {
  try {
    const call = parse();
    return { answer: answer(call), execute: async (services) => execute(call, services) };
  } catch (error) {
    return { answer: 'private', execute: () => Promise.reject(error) };
  }
}

function sentenceTask(sentence: string): Task {
  const result = { kind: 'reply', reply: sentenceReply(sentence) } as const;
  return { answer: 'private', execute: () => Promise.resolve(result) };
}

function menuKey(type: ApplicationCommandType, name: string): string {
  return `${type}:${name}`;
}

function byKey<T>(list: readonly T[], keyOf: (entry: T) => string): ReadonlyMap<string, T> {
  const map = new Map(list.map((entry) => [keyOf(entry), entry]));
  if (map.size < list.length) throw new TypeError('Cannot register two handlers with the same name');
  return map;
}
