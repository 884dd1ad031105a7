import type { Insertable, Selectable } from 'kysely';

export interface WebhookDeliveriesTable {
  delivery_id: string;
  service_job_id: string;
  callback_token: string | null;
  body: Uint8Array;
  received_at_ms: number;
  processed_at_ms: number | null;
}

export type DeliveryRow = Selectable<WebhookDeliveriesTable>;
export type NewDelivery = Insertable<WebhookDeliveriesTable>;
