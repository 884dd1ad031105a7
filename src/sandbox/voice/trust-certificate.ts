import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/**
 * Makes this process trust a sandbox's certificate (`Sandbox.caPem`) until disposed, because discord.js voice always
 * uses TLS and has no option for it. Another process is started with `NODE_EXTRA_CA_CERTS` set to `Sandbox.caFile`
 * instead.
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
