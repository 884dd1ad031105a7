import type { Pixels } from '../pixels.ts';

const COLUMNS = 32;
const ROWS = 18;
/** The mean difference of luma, 0 to 255, above which two successive frames belong to different scenes. */
const CUT_MIN = 28;

/** Detects cuts by comparing a few hundred points of each frame with the previous one. */
export class SceneChange {
  #last = new Uint8Array(0);

  /**
   * Returns whether `picture` shows a different scene from the previous one. For the first picture it returns false.
   */
  next(picture: Pixels): boolean {
    const now = thumbnail(picture);
    const last = this.#last;
    this.#last = now;
    if (last.length === 0) return false;
    let sum = 0;
    for (let n = 0; n < now.length; n++) sum += Math.abs((now[n] ?? 0) - (last[n] ?? 0));
    return sum > CUT_MIN * now.length;
  }

  reset(): void {
    this.#last = new Uint8Array(0);
  }
}

function thumbnail(picture: Pixels): Uint8Array<ArrayBuffer> {
  const { width, height, data } = picture;
  const luma = new Uint8Array(COLUMNS * ROWS);
  for (let row = 0, n = 0; row < ROWS; row++) {
    const y = Math.floor(((row + 0.5) * height) / ROWS);
    for (let column = 0; column < COLUMNS; column++, n++) {
      const x = Math.floor(((column + 0.5) * width) / COLUMNS);
      picture.reveal?.({ x, y, width: 1, height: 1 });
      const at = (y * width + x) * 4;
      luma[n] = ((data[at] ?? 0) + 2 * (data[at + 1] ?? 0) + (data[at + 2] ?? 0)) / 4;
    }
  }
  return luma;
}
