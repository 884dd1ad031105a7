/** A process that serves one file and discards uploads. It sends its port number to its parent process. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const [path = ''] = process.argv.slice(2);
const CHUNK_BYTES = 256 * 1024;

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.setHeader('content-length', statSync(path).size);
    createReadStream(path, { highWaterMark: CHUNK_BYTES }).pipe(response);
    return;
  }
  request.resume().on('end', () => {
    response
      .setHeader('content-type', 'application/json')
      .end('{"file_key":"api/1","url":"http://127.0.0.1/1"}');
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
