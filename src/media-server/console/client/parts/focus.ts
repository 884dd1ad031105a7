/** The row that the focus, or a press, was in last. */
let rowId: string | undefined;

function remember({ target }: Event): void {
  if (!(target instanceof Element) || target.closest('dialog')) return;
  rowId = target.closest<HTMLElement>('[data-id]')?.dataset['id'];
}

addEventListener('focusin', remember);
addEventListener('pointerdown', remember);

/** Gives the focus to the row that it was in, when what held it there is gone: a button of what has ended, say. */
export function rescueFocus(): void {
  if (document.activeElement !== document.body || rowId === undefined) return;
  document.querySelector<HTMLElement>(`[data-id="${CSS.escape(rowId)}"]`)?.focus({ preventScroll: true });
}
