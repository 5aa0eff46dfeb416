import { fileURLToPath } from 'node:url';
import type { NextConfig } from 'next';

/** Beside the content security policy, which src/proxy.ts sets anew for each request. */
const securityHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

const config: NextConfig = {
  poweredByHeader: false,
  reactStrictMode: true,
  // `typecheck` does that, and it looks at the tests too.
  typescript: { ignoreBuildErrors: true },
  turbopack: { root: fileURLToPath(new URL('../..', import.meta.url)) },
  headers: async () => [
    {
      source: '/:path*',
      headers: Object.entries(securityHeaders).map(([key, value]) => ({ key, value })),
    },
  ],
};

export default config;
