/** Faults that whoever runs the server orders to see how its clients take them. None outlives the process. */
export class ServerFaults {
  /** While true, jobs and sessions are refused with `at_capacity`. */
  isOutOfCapacity = false;
  /** Whether the next attempt of a webhook is to fail before anything is sent. */
  losesNextWebhook = false;

  /** Whether the webhook that is about to be sent gets lost; the next one does not. */
  takeLostWebhook(): boolean {
    const isLost = this.losesNextWebhook;
    this.losesNextWebhook = false;
    return isLost;
  }
}
