/** Returns the bytes of a webhook delivery as the service sends it. */
export function deliveryOf(serviceJobId: string, deliveryId: string): Buffer {
  const link = `https://results.example/${serviceJobId}.png?expires=1790000000&signature=${'s'.repeat(64)}`;
  const data = { id: serviceJobId, status: 'succeeded', output_url: link, charged_usd: 0.04, error: null };
  const delivery = { event: 'job.succeeded', sent_at: '2026-01-01T00:00:00Z', delivery_id: deliveryId, data };
  return Buffer.from(JSON.stringify(delivery));
}
