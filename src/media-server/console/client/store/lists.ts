import type { ConsoleLists, ConsoleState, WirePage } from '../../console-wire.ts';

export type ListName = keyof ConsoleLists;

interface Row {
  readonly id: string;
}

/** What follows the first page of each list that was read on. */
export type Rests = Readonly<Partial<Record<ListName, WirePage<Row>>>>;

/** The state with its lists as far as they were read on. A row is shown once, as the first page tells it. */
export function withRests(first: ConsoleState, rests: Rests): ConsoleState {
  const lists = (Object.keys(rests) as ListName[]).map((name) => [name, joined(first[name], rests[name])]);
  return { ...first, ...Object.fromEntries(lists) };
}

function joined(first: WirePage<Row>, rest: WirePage<Row> | undefined): WirePage<Row> {
  if (!rest) return first;
  const there = new Set(first.rows.map(({ id }) => id));
  return { rows: [...first.rows, ...rest.rows.filter(({ id }) => !there.has(id))], more: rest.more };
}
