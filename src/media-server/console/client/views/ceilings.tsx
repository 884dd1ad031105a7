import type { JSX } from 'preact';
import type { WireCeiling } from '../../console-wire.ts';
import type { ViewProps } from './view.ts';
import { Rows } from '../parts/rows.tsx';
import { openDialog } from '../dialog/verb-dialog.tsx';
import { displayName } from '../parts/format.ts';

/** The limits on simultaneous work. */
export function Ceilings({ state }: ViewProps): JSX.Element {
  return (
    <section>
      <h2>Ceilings</h2>
      <p class="quiet">Above a ceiling callers are told to come back a little later (429, at capacity).</p>
      <Rows
        label="Ceilings"
        headings={['Ceiling', 'What it counts', 'At most', 'Actions']}
        rows={state.ceilings}
        idOf={({ name }) => name}
        empty="There are no ceilings."
        cells={(ceiling) => [
          <strong key="name">{displayName(ceiling.name)}</strong>,
          ceiling.what,
          ceiling.value === null ? 'the default' : ceiling.value.toLocaleString('en-US'),
          <button key="actions" type="button" onClick={() => askCeiling(ceiling)}>
            Change<span class="hidden-visually"> {displayName(ceiling.name)}</span>
          </button>,
        ]}
      />
    </section>
  );
}

function askCeiling({ name, what, value, max }: WireCeiling): void {
  openDialog({
    title: displayName(name),
    text: `The most ${what}. What is under way goes on.`,
    fields: [
      {
        name: 'value',
        label: 'At most',
        value: value === null ? '' : String(value),
        kind: 'number',
        hint: `1 to ${max.toLocaleString('en-US')}.`,
      },
    ],
    action: 'Set the ceiling',
    verb: (typed) => ({ verb: 'set_ceiling', ceiling: name, value: typed('value') }),
  });
}
