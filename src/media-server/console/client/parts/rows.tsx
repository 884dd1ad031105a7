import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { ConsoleLists, ConsoleState, WirePage } from '../../console-wire.ts';
import { rescueFocus } from './focus.ts';
import { REST_ROWS_MAX, readOn } from '../store/store.ts';
import './rows.css';

interface RowsProps<Row> {
  readonly label: string;
  readonly headings: readonly string[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** As many cells as there are headings; null for what does not apply. */
  readonly cells: (row: Row) => readonly ComponentChildren[];
  /** What is said when there are none. */
  readonly empty: string;
  /** Whether a row is short enough for one line also where there is little room. */
  readonly isShort?: boolean;
}

/** A table that becomes a list of cards where there is little room. Rows keep their elements, and so the focus. */
export function Rows<Row>(props: RowsProps<Row>): JSX.Element {
  const { label, headings, rows, idOf, cells, empty, isShort = false } = props;
  useLayoutEffect(rescueFocus);
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

/** Reads a list on, where it goes on. */
export function More({ name, page }: MoreProps): JSX.Element | null {
  const isReading = useSignal(false);
  if (!page.more) return null;
  if (page.rows.length >= REST_ROWS_MAX)
    return <p class="quiet small more">What is older is not shown here.</p>;
  const read = async (): Promise<void> => {
    isReading.value = true;
    await readOn(name);
    isReading.value = false;
  };
  return (
    <button type="button" class="more" disabled={isReading} onClick={() => void read()}>
      Show more
    </button>
  );
}

/** A word about how something stands. */
export function Badge({ tone, children }: { readonly tone: string; readonly children: string }): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** The account's name, or its id where there are too many to know them all. */
export function accountName({ accountNames }: ConsoleState, id: string): string {
  return accountNames.find((account) => account.id === id)?.name ?? id;
}

/** An id of which the beginning is seen, and all of it is read out and copied. */
export function Id({ id }: { readonly id: string }): JSX.Element {
  return (
    <code class="id" title={id}>
      {id}
    </code>
  );
}
