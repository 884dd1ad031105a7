import type { ConsoleLists, ConsoleState, WirePage } from '../../console-wire.ts';

export type ListName = keyof ConsoleLists;

interface Row {
  readonly id: string;
}

/** The rows after the first page, for each list of which more rows were loaded. */
export type MoreRows = Readonly<Partial<Record<ListName, WirePage<Row>>>>;

/**
 * Returns the state with all rows that were loaded. A row that is both on the first page and in `moreRows` is returned
 * once, as it is on the first page.
 */
export function withMoreRows(first: ConsoleState, moreRows: MoreRows): ConsoleState {
  const lists = (Object.keys(moreRows) as ListName[]).map((name) => [
    name,
    joined(first[name], moreRows[name]),
  ]);
  return { ...first, ...Object.fromEntries(lists) };
}

function joined(first: WirePage<Row>, rest: WirePage<Row> | undefined): WirePage<Row> {
  if (!rest) return first;
  const there = new Set(first.rows.map(({ id }) => id));
  return { rows: [...first.rows, ...rest.rows.filter(({ id }) => !there.has(id))], more: rest.more };
}
