/** The id of the row that last had focus or was clicked. */
let rowId: string | undefined;

function remember({ target }: Event): void {
  if (!(target instanceof Element) || target.closest('dialog')) return;
  rowId = target.closest<HTMLElement>('[data-id]')?.dataset['id'];
}

addEventListener('focusin', remember);
addEventListener('pointerdown', remember);

/**
 * If the focused element has disappeared, such as the button of a job that has ended, returns focus to the row that
 * last had it.
 */
export function restoreFocus(): void {
  if (document.activeElement !== document.body || rowId === undefined) return;
  document.querySelector<HTMLElement>(`[data-id="${CSS.escape(rowId)}"]`)?.focus({ preventScroll: true });
}
