import type { JSX } from 'preact';
import type { WireCeiling, WireSwitch } from '../../media-server/console/console-wire.ts';
import type { ViewProps } from './view.ts';
import { Badge, Rows } from './rows.tsx';
import { say, tell } from './store.ts';
import { put } from './verb-dialog.tsx';
import { nameOf } from './words.ts';

/** What is offered, and how much of it at once. */
export function Switches({ state }: ViewProps): JSX.Element {
  return (
    <>
      <section>
        <h2>Capabilities</h2>
        <Rows
          label="Capabilities"
          headings={['Capability', 'State', 'Actions']}
          rows={state.switches}
          idOf={({ capability }) => capability}
          empty="There are no capabilities."
          cells={({ capability, enabled }) => [
            <strong key="name">{nameOf(capability)}</strong>,
            <Badge key="state" tone={enabled ? 'good' : 'warn'}>
              {enabled ? 'on' : 'off'}
            </Badge>,
            <OneSwitch key="actions" capability={capability} enabled={enabled} />,
          ]}
        />
      </section>
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
            <strong key="name">{nameOf(ceiling.name)}</strong>,
            ceiling.what,
            ceiling.value === null ? 'the default' : ceiling.value.toLocaleString('en-US'),
            <button key="actions" type="button" onClick={() => askCeiling(ceiling)}>
              Change<span class="hidden-visually"> {nameOf(ceiling.name)}</span>
            </button>,
          ]}
        />
      </section>
    </>
  );
}

/** Off asks first, as members feel it; on does not. One button, so that the focus stays where it is. */
function OneSwitch({ capability, enabled }: WireSwitch): JSX.Element {
  const name = nameOf(capability);
  const turnOn = (): void => {
    tell({ verb: 'switch_capability', capability, enabled: true }).catch((error: unknown) =>
      say(error instanceof Error ? error.message : String(error)),
    );
  };
  const askOff = (): void =>
    put({
      title: `Switch off ${name}?`,
      text: 'New work is refused from now on; what is under way goes on to its end.',
      fields: [],
      action: 'Switch off',
      isDanger: true,
      verb: () => ({ verb: 'switch_capability', capability, enabled: false }),
    });
  return (
    <button type="button" class={enabled ? 'careful' : 'primary'} onClick={enabled ? askOff : turnOn}>
      {enabled ? 'Switch off' : 'Switch on'}
      <span class="hidden-visually"> {name}</span>
    </button>
  );
}

function askCeiling({ name, what, value }: WireCeiling): void {
  put({
    title: nameOf(name),
    text: `The most ${what}. What is under way goes on.`,
    fields: [{ name: 'value', label: 'At most', value: value === null ? '' : String(value), kind: 'number' }],
    action: 'Set the ceiling',
    verb: (typed) => ({ verb: 'set_ceiling', ceiling: name, value: typed('value') }),
  });
}
