import { fileURLToPath } from 'node:url';
import type { NextConfig } from 'next';

// Next.js would report its use to its maker; it looks at this after it has read this file.
process.env.NEXT_TELEMETRY_DISABLED ??= '1';

/** Beside the content security policy, which src/proxy.ts sets anew for each page. */
const securityHeaders = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
};

/** What the API answers is for scripts to read, never a page. */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'";

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
    { source: '/api/:path*', headers: [{ key: 'Content-Security-Policy', value: apiPolicy }] },
  ],
};

export default config;
