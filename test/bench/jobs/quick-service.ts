/** A media service that completes every job at once. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { picture } from '../../media-server/test-engine.ts';

const result = await picture(120);
let uploads = 0;
let jobs = 0;

const server = createServer((request, response) => {
  const { url = '' } = request;
  request.resume().on('end', () => {
    if (url.startsWith('/out/')) response.end(result);
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer(url)));
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`);
});

function answer(url: string): object {
  if (url.endsWith('/pricing')) return {};
  if (url.endsWith('/uploads')) return { file_key: `api/${(uploads += 1)}`, url: 'http://127.0.0.1/x' };
  const id = /\/jobs\/(.+)$/.exec(url)?.[1];
  if (id === undefined) {
    const made = `srv_${(jobs += 1)}`;
    return { id: made, status: 'queued', status_url: `/api/v1/jobs/${made}` };
  }
  return { id, status: 'succeeded', output_url: `/out/${id}`, charged_usd: 0.04, error: null };
}
