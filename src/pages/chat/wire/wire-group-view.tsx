import { useSignal } from '@preact/signals';
import { type WireGroup, type WireLine, isTrouble } from './wire-groups.ts';
import { SOURCES, SOURCE_NAMES } from './wire-sources.ts';
import { detailText, durationText, timeText } from './wire-text.ts';

interface WireGroupViewProps {
  readonly group: WireGroup;
  /** The latest one is open until somebody closes it, others the other way round. */
  readonly isLatest: boolean;
}

/** One action: a head that tells what it was, and its traffic as lines over a common time. */
export function WireGroupView({ group, isLatest }: WireGroupViewProps) {
  const chosen = useSignal<boolean | null>(null);
  const isOpen = chosen.value ?? isLatest;
  return (
    <details
      class="wire-group"
      open={isOpen}
      onToggle={({ currentTarget }) => {
        if (currentTarget.open !== isOpen) chosen.value = currentTarget.open;
      }}
    >
      <summary>
        <span class="wire-title">
          {group.by !== '' && <span class="quiet">{group.by} </span>}
          <strong>{group.title}</strong>
          {group.hasTrouble && <span class="wire-trouble">trouble</span>}
        </span>
        <span class="small quiet wire-when">
          {timeText(group.beganAtMs)} · {durationText(group.spanMs)}
        </span>
        <Counts group={group} />
      </summary>
      {isOpen && (
        <ol class="wire-lines">
          {group.lines.map((line) => (
            <Line key={line.entry.id} line={line} spanMs={group.spanMs} />
          ))}
        </ol>
      )}
    </details>
  );
}

function Counts({ group }: { readonly group: WireGroup }) {
  return (
    <span class="wire-counts">
      {SOURCE_NAMES.filter((name) => name !== 'chat' && group.counts[name]).map((name) => (
        <span key={name} class={`wire-count is-${name}`}>
          {SOURCES[name]} {group.counts[name]}
        </span>
      ))}
    </span>
  );
}

function Line({ line, spanMs }: { readonly line: WireLine; readonly spanMs: number }) {
  const { entry, times, fromMs, lengthMs } = line;
  const detail = detailText(entry.detail);
  return (
    <li class={`wire-line is-${entry.source}${isTrouble(entry) ? ' is-trouble' : ''}`}>
      <span class="wire-line-kind">{SOURCES[entry.source]}</span>
      <span class="wire-what">
        {entry.what}
        {times > 1 && <span class="wire-times"> x{times}</span>}
        {entry.status !== null && <span class="wire-status"> {entry.status}</span>}
      </span>
      <span class="wire-ms">
        {`+${durationText(fromMs)}`}
        {entry.ms !== null && <span class="quiet">{` took ${durationText(entry.ms)}`}</span>}
      </span>
      {detail !== '' && <span class="wire-detail">{detail}</span>}
      <span class="wire-track" aria-hidden="true">
        <span
          class="wire-bar"
          style={{
            left: `${Math.min(99, (fromMs / spanMs) * 100)}%`,
            width: `${Math.min(100, (lengthMs / spanMs) * 100)}%`,
          }}
        />
      </span>
    </li>
  );
}
