/** Faults that an operator can order. */
export function FaultButtons() {
  return null;
}
