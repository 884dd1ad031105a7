import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { SandboxChannel } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import { ChatVisitor } from '../browser/use-chat-page.ts';
import type { FilmClub } from './film-club.ts';

const STEP_MS_MAX = 60_000;

/** The size in CSS pixels. */
interface Window {
  readonly width: number;
  readonly height: number;
}

/** The initial appearance of a member's chat page. */
export interface ChatLook {
  readonly as: SandboxMember;
  readonly in: SandboxChannel;
  readonly scheme: 'light' | 'dark';
  /** The side panel that is open. */
  readonly side: 'wire' | 'members';
  readonly window: Window;
}

/** The club, and a browser to look at it. */
export class Stage {
  readonly club: FilmClub;
  readonly #browser: Browser;
  readonly #errors: string[] = [];

  constructor(browser: Browser, club: FilmClub) {
    this.#browser = browser;
    this.club = club;
  }

  /** Errors that the pages reported. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** Opens a page in a separate profile, with the pixel density of a high-resolution screen and the club's time. */
  async openPage(viewport: Window, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      viewport,
      deviceScaleFactor: 2,
      locale: 'en-GB',
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(STEP_MS_MAX);
    context.on('weberror', (error) => this.#errors.push(error.error().message));
    const page = await context.newPage();
    await page.clock.setSystemTime(this.club.clock.now());
    return page;
  }

  /** Opens a member's chat page, and waits until it shows the channel. */
  async openChat(look: ChatLook): Promise<ChatVisitor> {
    const { guildId, sandbox } = this.club;
    const kept = {
      user: look.as.id,
      server: guildId,
      channels: { [guildId]: look.in.id },
      scheme: look.scheme,
      wire: look.side === 'wire',
      members: look.side === 'members',
    };
    const localStorage = Object.entries(kept).map(([name, value]) => ({
      name: `masquerade-chat:${name}`,
      value: JSON.stringify(value),
    }));
    const { origin } = new URL(sandbox.chatUrl);
    const storageState = { cookies: [], origins: [{ origin, localStorage }] };
    const page = await this.openPage(look.window, { storageState });
    await page.goto(sandbox.chatUrl);
    await page.getByRole('heading', { name: look.in.name, exact: true }).waitFor();
    return new ChatVisitor(page, this.#errors);
  }
}
