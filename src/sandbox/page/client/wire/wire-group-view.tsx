import { useSignal } from '@preact/signals';
import { type WireGroup, type WireLine, isTrouble } from './wire-groups.ts';
import { WireLanes } from './wire-lanes.tsx';
import { SOURCES } from './wire-sources.ts';
import { detailText, durationText, timeText, whatText } from './wire-text.ts';

interface WireGroupViewProps {
  readonly group: WireGroup;
  /** Whether this is the latest group. The latest group is open at first, other groups are closed. */
  readonly isLatest: boolean;
}

/** One action: a header that describes it, and its traffic as lines over a common time axis. */
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
      </summary>
      {isOpen && (
        <>
          <WireLanes group={group} />
          <ol class="wire-lines" aria-label="Calls in their order">
            {group.lines.map((line) => (
              <Line key={line.entry.id} line={line} />
            ))}
          </ol>
        </>
      )}
    </details>
  );
}

function Line({ line: { entry, times, fromMs } }: { readonly line: WireLine }) {
  const about = [entry.ms === null ? '' : `took ${durationText(entry.ms)}`, detailText(entry.detail)];
  const aboutText = about.filter((text) => text !== '').join(' · ');
  return (
    <li class={`wire-line is-${entry.source}${isTrouble(entry) ? ' is-trouble' : ''}`}>
      <span class="wire-line-kind">{SOURCES[entry.source]}</span>
      <span class="wire-what">
        <Breakable text={whatText(entry)} />
        {entry.status !== null && <span class="wire-status"> {entry.status}</span>}
        {times > 1 && <span class="wire-times"> {times} times</span>}
      </span>
      <span class="wire-ms">{`+${durationText(fromMs)}`}</span>
      {aboutText !== '' && <span class="wire-about">{aboutText}</span>}
    </li>
  );
}

/** A path that may wrap at its slashes. */
function Breakable({ text }: { readonly text: string }) {
  return text.split(/(?=\/)/).map((part, index) => (
    <>
      {index > 0 && <wbr />}
      {part}
    </>
  ));
}
