/**
 * Returns the TLS options of a client that trusts each certificate of a bundle, as Go does: a leaf or an intermediate CA is trusted
 * like a root. OpenSSL by default trusts a chain only if it ends at a self-signed certificate. Without a bundle, the system roots
 * are trusted.
 */
export const trustedCertificates = <T extends string | Uint8Array>(
  bundle: T | undefined,
): { ca?: T; allowPartialTrustChain?: true } =>
  bundle === undefined || bundle.length === 0 ? {} : { ca: bundle, allowPartialTrustChain: true };
