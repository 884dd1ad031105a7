import type { JSX } from 'preact';
import type { WireSwitch } from '../../console-wire.ts';
import { messageOf } from '../store/api.ts';
import type { ViewProps } from './view.ts';
import { Badge, Rows } from '../parts/rows.tsx';
import { showNotice, sendVerb } from '../store/store.ts';
import { openDialog } from '../dialog/verb-dialog.tsx';
import { displayName } from '../parts/format.ts';

/** Switches for the capabilities. */
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
          <strong key="name">{displayName(capability)}</strong>,
          <Badge key="state" tone={enabled ? 'good' : 'warn'}>
            {enabled ? 'on' : 'off'}
          </Badge>,
          <OneSwitch key="actions" capability={capability} enabled={enabled} />,
        ]}
      />
    </section>
  );
}

/**
 * Switching off asks for confirmation, because members notice it; switching on does not. Both actions use the same
 * button, so that it keeps focus.
 */
function OneSwitch({ capability, enabled }: WireSwitch): JSX.Element {
  const name = displayName(capability);
  const turnOn = async (): Promise<void> => {
    try {
      const { done } = await sendVerb({ verb: 'switch_capability', capability, enabled: true });
      showNotice(done);
    } catch (error) {
      showNotice(messageOf(error));
    }
  };
  const askOff = (): void =>
    openDialog({
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
