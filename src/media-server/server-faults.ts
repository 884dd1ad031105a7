/** Faults that the operator injects to see how clients handle them. They end with the process. */
export class ServerFaults {
  /** While this is true, new jobs and sessions are rejected with `at_capacity`. */
  isOutOfCapacity = false;
  /** Whether the next attempt to send a webhook fails before anything is sent. */
  losesNextWebhook = false;

  /**
   * Returns whether to lose the webhook that is about to be sent. It resets `losesNextWebhook`, so only one is lost.
   */
  takeLostWebhook(): boolean {
    const isLost = this.losesNextWebhook;
    this.losesNextWebhook = false;
    return isLost;
  }
}
