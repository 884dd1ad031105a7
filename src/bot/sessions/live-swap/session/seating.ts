import { FrameLane } from './frame-lane.ts';
import type { LivePage, LiveSeat } from '../live-page.ts';
import type { LiveSwapView } from '../live-swap-view.ts';

/** The actions that a page can perform in its session. */
export interface SeatActions extends Pick<LiveSeat, 'agree' | 'start' | 'stop' | 'share' | 'unshare'> {
  readonly view: () => LiveSwapView;
  /** Passes on a picture from the page's camera. */
  show(jpeg: Buffer): void;
  /** Called when the page is gone and no other page has replaced it. */
  left(): void;
}

interface Seated {
  readonly page: LivePage;
  readonly lane: FrameLane;
}

/** The one page that shows a session. Once another page has replaced it, the old page's controls do nothing. */
export class Seating {
  readonly #actions: SeatActions;
  readonly #aheadMax: number;
  #seated: Seated | null = null;

  constructor(actions: SeatActions, aheadMax: number) {
    this.#actions = actions;
    this.#aheadMax = aheadMax;
  }

  /** The current page, or null. */
  get page(): LivePage | null {
    return this.#seated?.page ?? null;
  }

  take(page: LivePage): LiveSeat {
    const actions = this.#actions;
    const lane = new FrameLane((frame, onSent) => page.send(frame, onSent), this.#aheadMax);
    const seated = { page, lane };
    const before = this.#seated;
    this.#seated = seated;
    before?.page.close('replaced');
    const isHere = (): boolean => this.#seated === seated;
    const ifHere = (act: () => void): void => {
      if (isHere()) act();
    };
    return {
      get view() {
        return actions.view();
      },
      agree: (version) => (isHere() ? actions.agree(version) : Promise.resolve()),
      start: () => ifHere(() => actions.start()),
      stop: () => ifHere(() => actions.stop()),
      share: () => (isHere() ? actions.share() : null),
      unshare: () => ifHere(() => actions.unshare()),
      show: (jpeg) => ifHere(() => actions.show(jpeg)),
      answered: () => lane.answered(),
      leave: () =>
        ifHere(() => {
          this.#seated = null;
          actions.left();
        }),
    };
  }

  /** Sends the page a picture from the service. */
  push(jpeg: Buffer): void {
    this.#seated?.lane.push(jpeg);
  }

  close(why: Parameters<LivePage['close']>[0]): void {
    this.#seated?.page.close(why);
    this.#seated = null;
  }
}
