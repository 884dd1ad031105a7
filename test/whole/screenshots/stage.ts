import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { SandboxChannel } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import { ChatVisitor } from '../browser/use-chat-page.ts';
import type { FilmClub } from './film-club.ts';

const STEP_MS_MAX = 60_000;

/** In CSS pixels. */
interface Window {
  readonly width: number;
  readonly height: number;
}

/** How somebody's chat page looks as it opens. */
export interface ChatLook {
  readonly as: SandboxMember;
  readonly in: SandboxChannel;
  readonly scheme: 'light' | 'dark';
  /** Which of its sides is open. */
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

  /** What went wrong in pages. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** A page in a profile of its own, sharp as on a good screen; its time is the club's. */
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

  /** A member's chat page, once it shows the channel. */
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
