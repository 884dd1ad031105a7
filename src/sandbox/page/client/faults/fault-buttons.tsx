import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { PageFault } from '../../wire-views.ts';
import { write } from '../live/control.ts';
import { useChat } from '../store/use-chat.ts';
import './faults.css';

/** The faults that the user of the page can inject, the state of each, and buttons to cancel them. */
export function FaultButtons() {
  const chat = useChat();
  const faults = chat.faults.value;
  const standing = faults.filter(({ on }) => on);
  return (
    <section class="faults" aria-label="Faults">
      <div class="faults-head">
        <h3>Make something go wrong</h3>
        {standing.length > 1 && (
          <button
            type="button"
            onClick={() => void Promise.all(standing.map(({ name }) => chat.try(order(name, false))))}
          >
            Undo all
          </button>
        )}
      </div>
      <ul>
        {faults.map((fault) => (
          <FaultRow key={fault.name} fault={fault} />
        ))}
      </ul>
    </section>
  );
}

function FaultRow({ fault }: { readonly fault: PageFault }) {
  const chat = useChat();
  const text = useId();
  const isOrdering = useSignal(false);
  /** When the fault was last injected, for faults without a lasting state. */
  const doneAtMs = useSignal<number | null>(null);
  const set = async (on: boolean): Promise<void> => {
    isOrdering.value = true;
    const wentWell = await chat.try(order(fault.name, on));
    isOrdering.value = false;
    if (wentWell && on) doneAtMs.value = Date.now();
  };
  return (
    <li class={fault.on ? 'fault is-on' : 'fault'}>
      <div class="fault-text" id={text}>
        <strong>{fault.title}</strong>
        <p class="small quiet">{fault.explanation}</p>
        {fault.unavailable !== null && <p class="small fault-why">{fault.unavailable}.</p>}
        <output class="small fault-state">{stateText(fault, doneAtMs.value)}</output>
      </div>
      {fault.kind === 'switch' ? (
        <button
          type="button"
          role="switch"
          class="switch"
          aria-checked={fault.on}
          aria-label={fault.title}
          aria-describedby={text}
          disabled={fault.unavailable !== null || isOrdering.value}
          onClick={() => void set(!fault.on)}
        >
          <span class="switch-knob" />
        </button>
      ) : (
        <button
          type="button"
          aria-label={`${fault.on ? 'Undo' : 'Do it'}: ${fault.title}`}
          aria-describedby={text}
          disabled={fault.unavailable !== null || isOrdering.value}
          onClick={() => void set(!fault.on)}
        >
          {fault.on ? 'Undo' : 'Do it'}
        </button>
      )}
    </li>
  );
}

/**
 * Turns a fault on or off. The response is ignored, because responses may arrive out of order: the new state comes
 * through the page's socket.
 */
function order(name: PageFault['name'], on: boolean): Promise<unknown> {
  return write('/faults', { named: { name, on } });
}

function stateText({ kind, on }: PageFault, doneAtMs: number | null): string {
  if (kind === 'switch') return on ? 'On until you switch it off.' : '';
  if (on) return 'Ordered; still to come.';
  return doneAtMs === null ? '' : `Done at ${new Date(doneAtMs).toLocaleTimeString('en-GB')}.`;
}
