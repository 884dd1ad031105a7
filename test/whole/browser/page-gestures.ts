import type { Locator, Page } from 'playwright-core';

const LONG_PRESS_MS = 700;
const STEPS_MAX = 40;

/** A DOM element; tests do not have the DOM types. */
interface FocusTarget {
  matches(selector: string): boolean;
}

/** Returns the screen position of an element's centre. */
async function middleOf(element: Locator): Promise<{ readonly x: number; readonly y: number }> {
  await element.scrollIntoViewIfNeeded();
  const box = await element.boundingBox();
  if (!box) throw new Error('Cannot touch the element: it is not on the screen');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Drags local files over an element, as if from another window, and drops them unless `isHeld`. */
export async function dragsFiles(
  page: Page,
  onto: Locator,
  { files, isHeld = false }: { readonly files: readonly string[]; readonly isHeld?: boolean },
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [...files], dragOperationsMask: 1 };
  const place = await middleOf(onto);
  for (const type of ['dragEnter', 'dragOver', ...(isHeld ? [] : ['drop' as const])] as const) {
    await session.send('Input.dispatchDragEvent', { type, ...place, data });
  }
  await session.detach();
}

/** Copies a picture to the clipboard and pastes it. */
export async function pastesPicture(page: Page, into: Locator, url: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate(
    `fetch(${JSON.stringify(url)})
      .then((answer) => answer.blob())
      .then(createImageBitmap)
      .then((bitmap) => {
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
        canvas.getContext('2d').drawImage(bitmap, 0, 0);
        return canvas.convertToBlob({ type: 'image/png' });
      })
      .then((png) => navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]))`,
  );
  await into.press('Control+V');
}

/** Touches an element for long enough that a menu would open, then releases it. */
export async function pressesLong(page: Page, element: Locator): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const place = await middleOf(element);
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [place] });
  await page.waitForTimeout(LONG_PRESS_MS);
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await session.detach();
}

/** Returns whether an element has focus. */
export function hasFocus(element: Locator): Promise<boolean> {
  return element.evaluate((found) => (found as unknown as FocusTarget).matches(':focus'));
}

/** Presses a key, by default Tab, until an element has focus. */
export async function movesTo(page: Page, element: Locator, key = 'Tab'): Promise<void> {
  await element.waitFor();
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (await hasFocus(element)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Cannot reach the element by ${key}`);
}
