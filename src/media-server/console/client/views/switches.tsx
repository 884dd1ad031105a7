import type { JSX } from 'preact';
import type { WireSwitch } from '../../console-wire.ts';
import { wordsOf } from '../store/api.ts';
import type { ViewProps } from './view.ts';
import { Badge, Rows } from '../parts/rows.tsx';
import { say, tell } from '../store/store.ts';
import { put } from '../dialog/verb-dialog.tsx';
import { nameOf } from '../parts/words.ts';

/** What is offered. */
export function Switches({ state }: ViewProps): JSX.Element {
  return (
    <section>
      <h2>Capabilities</h2>
      <Rows
        label="Capabilities"
        headings={['Capability', 'State', 'Actions']}
        rows={state.switches}
        idOf={({ capability }) => capability}
        empty="There are no capabilities."
        isShort
        cells={({ capability, enabled }) => [
          <strong key="name">{nameOf(capability)}</strong>,
          <Badge key="state" tone={enabled ? 'good' : 'warn'}>
            {enabled ? 'on' : 'off'}
          </Badge>,
          <OneSwitch key="actions" capability={capability} enabled={enabled} />,
        ]}
      />
    </section>
  );
}

/** Off asks first, as members feel it; on does not. One button, so that the focus stays where it is. */
function OneSwitch({ capability, enabled }: WireSwitch): JSX.Element {
  const name = nameOf(capability);
  const turnOn = async (): Promise<void> => {
    try {
      const { done } = await tell({ verb: 'switch_capability', capability, enabled: true });
      say(done);
    } catch (error) {
      say(wordsOf(error));
    }
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
    <button
      type="button"
      class={enabled ? 'careful' : 'primary'}
      onClick={enabled ? askOff : () => void turnOn()}
    >
      {enabled ? 'Switch off' : 'Switch on'}
      <span class="hidden-visually"> {name}</span>
    </button>
  );
}
