import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { request as forward } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** The certificate's path, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
}

export interface FarServer {
  readonly url: string;
  close(): void;
}

/** A certificate for `localhost`, trusted only by this bench's processes. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    // OpenSSL uses the machine's clock, even if the bench has moved its own.
    notBeforeDate: new Date('2026-01-01'),
    notAfterDate: new Date('2099-01-01'),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const file = join(folder, 'certificate.pem');
  await writeFile(file, cert);
  return { key, cert, file };
}

/** A server on loopback that looks remote: it uses TLS, and delays every response. */
export async function farAway(target: string, delayMs: number, certificate: Certificate): Promise<FarServer> {
  const server = createServer(certificate, (request, response) => {
    const { method, url = '/', headers } = request;
    const forwarded = forward(new URL(url, target), { method, headers }, (answer) => {
      setTimeout(() => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }, delayMs);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a string
  return {
    url: `https://localhost:${port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
