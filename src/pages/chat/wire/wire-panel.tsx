import { FaultButtons } from '../faults/fault-buttons.tsx';

/** What went over the wire at the last action, and buttons that make things go wrong. */
export function WirePanel() {
  return <FaultButtons />;
}
