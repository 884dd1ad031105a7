import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { ConsoleLists, ConsoleState, WirePage } from '../../console-wire.ts';
import { restoreFocus } from './restore-focus.ts';
import { MORE_ROWS_MAX, loadMore } from '../store/store.ts';
import './rows.css';

interface RowsProps<Row> {
  readonly label: string;
  readonly headings: readonly string[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** Returns as many cells as there are headings, with null for a cell that does not apply. */
  readonly cells: (row: Row) => readonly ComponentChildren[];
  /** The message that is shown if there are no rows. */
  readonly empty: string;
  /** Whether a row is short enough for one line even on a narrow screen. */
  readonly isShort?: boolean;
}

/**
 * A table that turns into a list of cards on a narrow screen. A row that is shown again keeps its element and therefore
 * keeps focus.
 */
export function Rows<Row>(props: RowsProps<Row>): JSX.Element {
  const { label, headings, rows, idOf, cells, empty, isShort = false } = props;
  useLayoutEffect(restoreFocus);
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <table aria-label={label} class={isShort ? 'short' : undefined}>
      <thead>
        <tr>
          {headings.map((heading) => (
            <th key={heading} scope="col">
              {heading}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)} data-id={idOf(row)} tabIndex={-1}>
            {cells(row).map((cell, index) => (
              <td
                key={headings[index]}
                data-heading={headings[index]}
                class={cell === null ? 'nothing' : undefined}
              >
                <div>{cell ?? '–'}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface MoreProps {
  readonly name: keyof ConsoleLists;
  readonly page: WirePage<unknown>;
}

/** A button that loads more rows of a list. */
export function More({ name, page }: MoreProps): JSX.Element | null {
  const isReading = useSignal(false);
  if (!page.more) return null;
  if (page.rows.length >= MORE_ROWS_MAX)
    return <p class="quiet small more">What is older is not shown here.</p>;
  const read = async (): Promise<void> => {
    isReading.value = true;
    await loadMore(name);
    isReading.value = false;
  };
  return (
    <button type="button" class="more" disabled={isReading} onClick={() => void read()}>
      Show more
    </button>
  );
}

/** A label for a state. */
export function Badge({ tone, children }: { readonly tone: string; readonly children: string }): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Returns the account's name, or its id if there are so many accounts that the page does not have the name. */
export function accountName({ accountNames }: ConsoleState, id: string): string {
  return accountNames.find((account) => account.id === id)?.name ?? id;
}

/** An id of which only the beginning is visible. Screen readers and the clipboard get all of it. */
export function Id({ id }: { readonly id: string }): JSX.Element {
  return (
    <code class="id" title={id}>
      {id}
    </code>
  );
}
