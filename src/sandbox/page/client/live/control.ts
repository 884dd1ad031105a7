import type { PageUpload } from '../../use-views.ts';

/** Thrown when the sandbox rejects a request. Its message is the error text from the sandbox. */
class ControlError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Reads from the control API. Throws `ControlError`. */
export function read<T>(path: string): Promise<T> {
  return ask(path, {});
}

/** Writes to the control API. Throws `ControlError`. */
export function write<T>(path: string, body: unknown): Promise<T> {
  const headers = { 'content-type': 'application/json' };
  return ask(path, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** Deletes data through the control API. Throws `ControlError`. */
export function remove<T>(path: string): Promise<T> {
  return ask(path, { method: 'DELETE' });
}

/** Uploads a file to the sandbox, which stores it for later use in a request. Throws `ControlError`. */
export function upload(file: File): Promise<PageUpload> {
  const headers = { 'content-type': 'application/octet-stream' };
  const path = `/uploads?name=${encodeURIComponent(file.name.slice(0, 200) || 'file')}`;
  return ask(path, { method: 'POST', headers, body: file });
}

async function ask<T>(path: string, init: RequestInit): Promise<T> {
  const answer = await fetch(`/control${path}`, init).catch(() => undefined);
  if (!answer) throw new ControlError(0, 'The sandbox does not answer. Is its program still running?');
  const body = (await answer.json().catch(() => ({}))) as { readonly error?: string };
  if (!answer.ok)
    throw new ControlError(answer.status, body.error ?? `The sandbox answered ${answer.status}`);
  return body as T;
}
