import { join } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import type { ChatPageOptions } from '../../../src/sandbox/page/chat-page.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { openPage } from './use-browser.ts';

/** The options for the chat page's gallery. */
export const samplesPage: ChatPageOptions = { samplesFolder: join(import.meta.dirname, '../../samples') };

/** The size of a phone screen. */
export const PHONE = { width: 390, height: 844 } as const;

/** A visitor to the chat page, who finds elements by their visible text. */
export class ChatVisitor {
  readonly page: Page;
  readonly errors: readonly string[];

  constructor(page: Page, errors: readonly string[]) {
    this.page = page;
    this.errors = errors;
  }

  get field(): Locator {
    return this.page.getByRole('textbox', { name: /^Message / });
  }

  /** The commands that the picker lists. */
  get commands(): Locator {
    return this.page.getByRole('listbox', { name: 'Commands' }).getByRole('option');
  }

  /** Returns the newest message with this text. */
  message(text: string): Locator {
    return this.page.locator('.message-list > li').filter({ hasText: text }).last();
  }

  async actAs(name: string): Promise<void> {
    const select = this.page.getByRole('combobox', { name: 'Act as' });
    const label = await select.locator('option').filter({ hasText: name }).first().textContent();
    await select.selectOption({ label: label ?? name });
  }

  /** Types a slash and selects the command from the list. */
  async picks(command: string): Promise<Locator> {
    await this.field.fill(command);
    await this.commands.filter({ hasText: command }).first().waitFor();
    await this.field.press('Enter');
    const form = this.page.getByRole('form', { name: command, exact: true });
    await form.waitFor();
    return form;
  }

  /** Chooses a sample from the gallery for a command option or a form field. */
  async gives(form: Locator, option: string, sample: string): Promise<void> {
    const picker = form.getByRole('group', { name: option, exact: true });
    await picker.getByRole('button', { name: 'Samples' }).click();
    await this.page
      .getByRole('dialog', { name: `Samples for ${option}` })
      .getByRole('button', { name: sample })
      .click();
    await picker.getByRole('list', { name: 'Chosen files' }).waitFor();
  }
}

/** Opens the chat page and waits until it shows the server. */
export async function visitChat(sandbox: Sandbox, options: BrowserContextOptions = {}): Promise<ChatVisitor> {
  const { page, errors } = await openPage(options);
  await page.goto(sandbox.chatUrl);
  await page.locator('.channel-head').waitFor();
  return new ChatVisitor(page, errors);
}
