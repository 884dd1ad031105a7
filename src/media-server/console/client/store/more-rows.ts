import type { ConsoleLists, ConsoleState, WirePage } from '../../console-wire.ts';

export type ListName = keyof ConsoleLists;

interface Row {
  readonly id: string;
}

/** The rows after the first page of each list that was loaded further. */
export type MoreRows = Readonly<Partial<Record<ListName, WirePage<Row>>>>;

/**
 * Returns the state with all rows that were loaded. A row that is in both is shown once, as the first page
 * has it.
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
