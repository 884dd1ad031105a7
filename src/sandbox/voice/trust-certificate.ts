import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/**
 * Makes this process trust a sandbox's certificate (`Sandbox.caPem`) until disposed, because discord.js voice always
 * uses TLS and has no option for a certificate. For another process, set `NODE_EXTRA_CA_CERTS` to `Sandbox.caFile` when
 * starting it.
 */
export function trustCertificate(caPem: string): Disposable {
  setDefaultCACertificates([...getCACertificates('default'), caPem]);
  return {
    [Symbol.dispose]: () => {
      const left = getCACertificates('default').filter((entry) => entry.trim() !== caPem.trim());
      setDefaultCACertificates(left);
    },
  };
}
